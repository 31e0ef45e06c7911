// Training on the simulated chip against steps computed in this test.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "compiler/autograd/autograd.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/trainer.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;

namespace {

ir::Literal random_literal(const ir::Dims& dims, double size, unsigned seed) {
    std::mt19937 random(seed);
    ir::Literal literal(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i)
        literal.set(i, size * (2 * static_cast<double>(random() >> 5) / (1 << 27) - 1));
    return literal;
}

std::string values_text(const ir::Dims& dims, double size, unsigned seed) {
    std::string text;
    const ir::Literal literal = random_literal(dims, size, seed);
    for (std::int64_t i = 0; i < literal.size(); ++i) text += (i ? ", " : "") + fmt::format("{:.5f}", literal.at(i));
    std::string shape;
    for (std::size_t i = 0; i < dims.size(); ++i) shape += (i ? ", " : "") + std::to_string(dims[i]);
    return "constant [" + text + "] : f32[" + shape + "]\n";
}

/// y = x * w + b of 40 -> 50 numbers, for 3 rows an input.
std::string linear_text() {
    return "%x = input : f32[3, 40]\n%w = " + values_text({40, 50}, 0.3, 1) + "%b = " + values_text({50}, 0.3, 2) +
           "%m = matmul %x, %w : f32[3, 50]\n%y = add %m, %b : f32[3, 50]\noutput \"y\" = %y\n";
}

/// Convolution, relu, maximum pool, matmul, softmax.
std::string network_text() {
    return "%x = input : f32[1, 2, 8, 8]\n%w = " + values_text({6, 2, 3, 3}, 0.4, 1) +
           "%b = " + values_text({6}, 0.3, 2) + "%v = " + values_text({96, 10}, 0.2, 3) +
           "%c = conv %x, %w, %b {pads = [1, 1, 1, 1]} : f32[1, 6, 8, 8]\n"
           "%r = relu %c : f32[1, 6, 8, 8]\n"
           "%p = max_pool %r {kernel = [2, 2], strides = [2, 2]} : f32[1, 6, 4, 4]\n"
           "%f = reshape %p {dims = [1, 96]} : f32[1, 96]\n%m = matmul %f, %v : f32[1, 10]\n"
           "%y = softmax %m {axis = 1} : f32[1, 10]\noutput \"y\" = %y\n";
}

ir::CompileOptions options_for(DataFormat df, const std::string& device, ir::OptimizerKind optimizer) {
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

runtime::ModelOptions functional(Numerics numerics) {
    runtime::ModelOptions run;
    run.session.mode = sim::Mode::Functional;
    run.session.numerics = numerics;
    return run;
}

double correlation(const ir::Literal& a, const ir::Literal& b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
        ab += a.at(i) * b.at(i);
        aa += a.at(i) * a.at(i);
        bb += b.at(i) * b.at(i);
    }
    return ab / std::sqrt(aa * bb);
}

/// The sums of gradients over all samples, by autograd and the ops' own values.
std::map<std::string, ir::Literal> expected_gradients(const std::string& text, const std::set<std::string>& wrt,
                                                      const ir::Literal& x, const ir::Literal& g) {
    std::map<std::string, ir::Literal> sums;
    ir::Graph whole = ir::parse_graph(text, "test.tg");
    std::map<std::string, ir::Literal> parameters;
    for (ir::Node& node : whole.nodes)
        if (wrt.contains(node.name)) {
            parameters.emplace(node.name, *node.literal);
            node.op = ir::op::input;
            node.literal = nullptr;
        }
    for (const char* pass : {"decompose-convolution", "decompose-pools"}) ir::find_pass(pass)->run(whole, {});
    const ir::Gradients gradients = ir::differentiate(whole, {wrt, {}});
    whole.outputs.clear();
    for (const auto& [name, value] : gradients.of) whole.outputs.push_back({name, value, {}});
    const std::int64_t samples = x.dims()[0];
    for (std::int64_t k = 0; k < samples; ++k) {
        const auto sample = [&](const ir::Literal& all) {
            ir::Literal one(all.dtype(), {all.dims().begin() + 1, all.dims().end()});
            for (std::int64_t i = 0; i < one.size(); ++i) one.copy(i, all, k * one.size() + i);
            return one;
        };
        std::map<std::string, ir::Literal> inputs = parameters;
        inputs.emplace("x", sample(x));
        inputs.emplace("loss_y", sample(g));
        for (const auto& [name, value] : ir::evaluate(whole, inputs)) {
            const auto [sum, first] = sums.emplace(name, value);
            for (std::int64_t i = 0; !first && i < value.size(); ++i)
                sum->second.set(i, sum->second.at(i) + value.at(i));
        }
    }
    return sums;
}

}  // namespace

TEST_CASE("a linear layer is trained by SGD as its definition says") {
    runtime::Trainer trainer(ir::compile(ir::parse_graph(linear_text(), "test.tg"),
                                         options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Sgd)),
                             functional(Numerics::Float32));
    CHECK_THROWS_WITH(trainer.forward({{"x", random_literal({6, 3, 40}, 1, 3)}}),
                      Catch::Contains("6 samples are given, and the device keeps values of 4"));
    CHECK_THROWS_WITH(trainer.forward({{"x", random_literal({3, 3, 40}, 1, 3)}}),
                      Catch::Contains("a training step needs whole microbatches of 2"));
    CHECK_THROWS_WITH(trainer.backward({}, true), Catch::Contains("backward() needs a forward() before it"));
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

TEST_CASE("gradients of a small network, on both chips and in 16 bits") {
    const ir::Literal x = random_literal({4, 1, 2, 8, 8}, 1, 5), g = random_literal({4, 1, 10}, 1, 6);
    const auto want = expected_gradients(network_text(), {"w", "b", "v"}, x, g);
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const DataFormat df : {DataFormat::Float32, DataFormat::Float16_b}) {
            if (df == DataFormat::Float32 && std::string(device) == "gs_e150") continue;
            runtime::Trainer trainer(ir::compile(ir::parse_graph(network_text(), "test.tg"),
                                                 options_for(df, device, ir::OptimizerKind::Adam)),
                                     functional(df == DataFormat::Float32 ? Numerics::Float32 : Numerics::Real));
            trainer.forward({{"x", x}});
            trainer.backward({{"y", g}}, true);
            for (const auto& [name, gradient] : want) {
                INFO(device << " " << to_string(df) << " " << name);
                REQUIRE(trainer.gradient(name).dims() == gradient.dims());
                CHECK(correlation(trainer.gradient(name), gradient) > (df == DataFormat::Float32 ? 0.99999 : 0.99));
            }
            trainer.step();
            // the first step of Adam is the learning rate, in the direction of the gradient
            const ir::Literal before = *ir::find_parameter(trainer.compiled(), "v").value, now = trainer.parameter("v");
            for (std::int64_t i = 0; i < now.size(); i += 31)
                if (std::fabs(want.at("v").at(i)) > 1e-3)
                    CHECK(now.at(i) - before.at(i) == Approx(want.at("v").at(i) > 0 ? -0.5 : 0.5).epsilon(0.03));
        }
}
