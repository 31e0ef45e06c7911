// Small models for tests of training, with their options.
#pragma once

#include <cmath>
#include <random>

#include "compiler/model/compile.hpp"
#include "runtime/trainer.hpp"
#include "tests/compiler/random_graph.hpp"

namespace ttsim::impl::testing {

inline ir::Literal random_literal(const ir::Dims& dims, double size, unsigned seed) {
    std::mt19937 random(seed);
    ir::Literal literal(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i)
        literal.set(i, size * (2 * static_cast<double>(random() >> 5) / (1 << 27) - 1));
    return literal;
}

inline std::string values_text(const ir::Dims& dims, double size, unsigned seed) {
    std::string text;
    const ir::Literal literal = random_literal(dims, size, seed);
    for (std::int64_t i = 0; i < literal.size(); ++i) text += (i ? ", " : "") + fmt::format("{:.5f}", literal.at(i));
    std::string shape;
    for (std::size_t i = 0; i < dims.size(); ++i) shape += (i ? ", " : "") + std::to_string(dims[i]);
    return "constant [" + text + "] : f32[" + shape + "]\n";
}

/// y = x * w + b of 40 -> 50 numbers, for 3 rows an input.
inline std::string linear_text() {
    return "%x = input : f32[3, 40]\n%w = " + values_text({40, 50}, 0.3, 1) + "%b = " + values_text({50}, 0.3, 2) +
           "%m = matmul %x, %w : f32[3, 50]\n%y = add %m, %b : f32[3, 50]\noutput \"y\" = %y\n";
}

/// Convolution, relu, maximum pool, matmul, softmax.
inline std::string network_text() {
    return "%x = input : f32[1, 2, 8, 8]\n%w = " + values_text({6, 2, 3, 3}, 0.4, 1) +
           "%b = " + values_text({6}, 0.3, 2) + "%v = " + values_text({96, 10}, 0.2, 3) +
           "%c = conv %x, %w, %b {pads = [1, 1, 1, 1]} : f32[1, 6, 8, 8]\n"
           "%r = relu %c : f32[1, 6, 8, 8]\n"
           "%p = max_pool %r {kernel = [2, 2], strides = [2, 2]} : f32[1, 6, 4, 4]\n"
           "%f = reshape %p {dims = [1, 96]} : f32[1, 96]\n%m = matmul %f, %v : f32[1, 10]\n"
           "%y = softmax %m {axis = 1} : f32[1, 10]\noutput \"y\" = %y\n";
}

inline ir::CompileOptions options_for(DataFormat df, const std::string& device, ir::OptimizerKind optimizer) {
    ir::CompileOptions options;
    options.device = device;
    options.default_df = df;
    options.training.emplace();
    options.training->optimizer.kind = optimizer;
    options.training->optimizer.learning_rate = 0.5;
    options.microbatch = 2;
    options.emit.microbatch_count = 2;
    return options;
}

inline runtime::ModelOptions functional(Numerics numerics) {
    runtime::ModelOptions run;
    run.session.mode = sim::Mode::Functional;
    run.session.numerics = numerics;
    return run;
}

inline double correlation(const ir::Literal& a, const ir::Literal& b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
        ab += a.at(i) * b.at(i);
        aa += a.at(i) * a.at(i);
        bb += b.at(i) * b.at(i);
    }
    return ab / std::sqrt(aa * bb);
}

/// Results, gradients, parameters and the optimizer's state in two steps of two microbatches.
inline std::vector<std::vector<float>> bits_of_two_steps(const ir::CompiledModel& model, const ir::Literal& x,
                                                         const ir::Literal& g) {
    runtime::Trainer trainer(model, functional(Numerics::Real));
    std::vector<std::vector<float>> found;
    for (int step = 0; step < 2; ++step) {
        found.push_back(trainer.forward({{"x", x}}).at("y").copied_floats());
        for (const auto& [name, value] : trainer.backward({{"y", g}}, true)) found.push_back(value.copied_floats());
        for (const runtime::ModelTensor& one : trainer.parameters())
            found.push_back(trainer.gradient(one.name).copied_floats());
        trainer.step();
        for (const runtime::ModelTensor& one : trainer.parameters()) {
            found.push_back(trainer.parameter(one.name).copied_floats());
            for (const auto& [kind, value] : trainer.state(one.name)) found.push_back(value.copied_floats());
        }
    }
    return found;
}

}  // namespace ttsim::impl::testing
