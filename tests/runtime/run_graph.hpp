// A graph given as text, compiled and run without a clock.
#pragma once

#include <string>

#include "compiler/model/compile.hpp"
#include "compiler/ir/graph.hpp"
#include "runtime/model.hpp"

struct GraphRun {
    std::string device = "wh_n150";
    tt::DataFormat format = tt::DataFormat::Float32;
    tt::Numerics numerics = tt::Numerics::Float32;
    bool host_fallback = true;
};

inline tt::ir::Values run_graph(const tt::ir::Graph& graph, const tt::ir::Values& inputs, const GraphRun& how) {
    tt::ir::CompileOptions options;
    options.device = how.device;
    options.default_df = how.format;
    options.host_fallback = how.host_fallback;
    const tt::ir::CompiledModel model = tt::ir::compile(graph, options);
    tt::runtime::ModelOptions run;
    run.session.threads = 1;
    run.session.numerics = how.numerics;
    run.session.mode = tt::sim::Mode::Functional;
    return tt::runtime::Model(model, run).run(inputs);
}

inline tt::ir::Literal floats_of(const tt::ir::Dims& dims, const std::vector<double>& values) {
    tt::ir::Literal literal(tt::ir::DType::F32, dims);
    for (std::size_t i = 0; i < values.size(); ++i) literal.set(static_cast<std::int64_t>(i), values[i]);
    return literal;
}
