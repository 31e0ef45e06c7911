// Training on the simulated chip against steps computed in this test.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "compiler/model/compile.hpp"
#include "runtime/trainer.hpp"

using namespace ttsim::impl;

namespace {

ir::Literal random_literal(const ir::Dims& dims, double size, unsigned seed) {
    std::mt19937 random(seed);
    ir::Literal literal(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i)
        literal.set(i, size * (2 * static_cast<double>(random() >> 5) / (1 << 27) - 1));
    return literal;
}

/// y = x * w + b of 40 -> 50 numbers, for 3 rows an input.
std::string linear_text() {
    std::string w, b;
    const ir::Literal weights = random_literal({40, 50}, 0.3, 1), bias = random_literal({50}, 0.3, 2);
    for (std::int64_t i = 0; i < weights.size(); ++i) w += (i ? ", " : "") + std::to_string(weights.at(i));
    for (std::int64_t i = 0; i < bias.size(); ++i) b += (i ? ", " : "") + std::to_string(bias.at(i));
    return "%x = input : f32[3, 40]\n%w = constant [" + w + "] : f32[40, 50]\n%b = constant [" + b +
           "] : f32[50]\n%m = matmul %x, %w : f32[3, 50]\n%y = add %m, %b : f32[3, 50]\noutput \"y\" = %y\n";
}

}  // namespace

TEST_CASE("a linear layer is trained by SGD as its definition says") {
    ir::CompileOptions options;
    options.default_df = DataFormat::Float32;
    options.training.emplace();
    options.training->optimizer.kind = ir::OptimizerKind::Sgd;
    options.training->optimizer.learning_rate = 0.5;
    options.microbatch = 2;
    options.emit.microbatch_count = 2;
    ir::CompiledModel model = ir::compile(ir::parse_graph(linear_text(), "test.tg"), options);
    runtime::ModelOptions run;
    run.session.mode = sim::Mode::Functional;
    run.session.numerics = Numerics::Float32;
    runtime::Trainer trainer(std::move(model), run);
    const ir::Literal w0 = trainer.parameter("w"), b0 = trainer.parameter("b");
    const ir::Literal x = random_literal({4, 3, 40}, 1, 3), g = random_literal({4, 3, 50}, 1, 4);
    const ir::Values y = trainer.forward({{"x", x}});
    double sum = 0;
    for (std::int64_t k = 0; k < 40; ++k) sum += x.at(k) * w0.at(k * 50);
    CHECK(y.at("y").at(0) == Approx(sum + b0.at(0)).epsilon(1e-4));
    trainer.backward({{"y", g}}, true);
    const ir::Literal dw = trainer.gradient("w"), db = trainer.gradient("b");
    for (std::int64_t k = 0; k < 40; k += 13)
        for (std::int64_t o = 0; o < 50; o += 7) {
            double want = 0;
            for (std::int64_t row = 0; row < 12; ++row) want += x.at(row * 40 + k) * g.at(row * 50 + o);
            CHECK(dw.at(k * 50 + o) == Approx(want).epsilon(1e-4).margin(1e-5));
        }
    double bias = 0;
    for (std::int64_t row = 0; row < 12; ++row) bias += g.at(row * 50 + 7);
    CHECK(db.at(7) == Approx(bias).epsilon(1e-4));
    trainer.step();
    const ir::Literal w1 = trainer.parameter("w");
    for (std::int64_t i = 0; i < w1.size(); i += 17)
        CHECK(w1.at(i) == Approx(w0.at(i) - 0.5 * dw.at(i)).epsilon(1e-4).margin(1e-5));
}
