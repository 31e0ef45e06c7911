// A graph given as text, compiled and run without a clock.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/model.hpp"

struct GraphRun {
    std::string device = "wh_n150";
    ttsim::impl::DataFormat format = ttsim::impl::DataFormat::Float32;
    ttsim::impl::Numerics numerics = ttsim::impl::Numerics::Float32;
    bool host_fallback = true;
};

inline ttsim::impl::ir::Values run_graph(const ttsim::impl::ir::Graph& graph, const ttsim::impl::ir::Values& inputs,
                                         const GraphRun& how) {
    ttsim::impl::ir::CompileOptions options;
    options.device = how.device;
    options.default_df = how.format;
    options.host_fallback = how.host_fallback;
    const ttsim::impl::ir::CompiledModel model = ttsim::impl::ir::compile(graph, options);
    ttsim::impl::runtime::ModelOptions run;
    run.session.threads = 1;
    run.session.numerics = how.numerics;
    run.session.mode = ttsim::impl::sim::Mode::Functional;
    return ttsim::impl::runtime::Model(model, run).run(inputs);
}

inline ttsim::impl::ir::Literal floats_of(const ttsim::impl::ir::Dims& dims, const std::vector<double>& values) {
    ttsim::impl::ir::Literal literal(ttsim::impl::ir::DType::F32, dims);
    for (std::size_t i = 0; i < values.size(); ++i) literal.set(static_cast<std::int64_t>(i), values[i]);
    return literal;
}
