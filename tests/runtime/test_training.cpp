// Training on the simulated chip against steps computed in this test.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/autograd/autograd.hpp"
#include "compiler/ir/pass.hpp"
#include "tests/runtime/training_models.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

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

TEST_CASE("the first of equal maxima gets the gradient, at borders too") {
    const std::string text =
        "%x = input : f32[1, 1, 5, 5]\n%w = constant [0.5] : f32[1, 1, 5, 5]\n%z = multiply %x, %w\n"
        "%y = max_pool %z {kernel = [3, 3], pads = [1, 1, 1, 1]} : f32[1, 1, 5, 5]\noutput \"y\" = %y\n";
    ir::CompileOptions options = options_for(DataFormat::Float16_b, "wh_n150", ir::OptimizerKind::None);
    options.training->frozen = {"*"};
    options.training->input_gradients = {"x"};
    options.microbatch = options.emit.microbatch_count = 1;
    const ir::Literal x(ir::DType::F32, {1, 1, 5, 5});
    ir::Literal g(ir::DType::F32, {1, 1, 5, 5});
    std::vector<double> want(25, 0);
    for (std::int64_t i = 0; i < 25; ++i) {
        g.set(i, static_cast<double>(i + 1));
        const std::int64_t row = std::max<std::int64_t>(i / 5 - 1, 0), col = std::max<std::int64_t>(i % 5 - 1, 0);
        want[static_cast<std::size_t>(row * 5 + col)] += 0.5 * static_cast<double>(i + 1);
    }
    runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"), options), functional(Numerics::Real));
    trainer.forward({{"x", x}});
    const ir::Literal found = trainer.backward({{"y", g}}, true).at("x");
    for (std::int64_t i = 0; i < 25; ++i) CHECK(found.at(i) == Approx(want[static_cast<std::size_t>(i)]).epsilon(0.01));
}

TEST_CASE("Adam's epsilon is beside the root of the corrected average, as in torch") {
    // gradients as small as epsilon: beside the root of the plain average it would be 31 times as large
    const std::string text = "%x = input : f32[1, 32]\n%w = " + values_text({32}, 1, 1) +
                             "%y = multiply %x, %w : f32[1, 32]\noutput \"y\" = %y\n";
    ir::Literal ones(ir::DType::F32, {1, 32}), g(ir::DType::F32, {1, 32});
    for (std::int64_t i = 0; i < 32; ++i) {
        ones.set(i, 1);
        g.set(i, 1e-8 * static_cast<double>(i + 1));
    }
    for (const ir::OptimizerKind kind : {ir::OptimizerKind::Adam, ir::OptimizerKind::AdamW}) {
        ir::CompileOptions options = options_for(DataFormat::Float16_b, "wh_n150", kind);
        options.microbatch = options.emit.microbatch_count = 1;
        options.training->optimizer.learning_rate = 0.5;
        options.training->optimizer.compensated = true;
        runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"), options), functional(Numerics::Real));
        const ir::Literal before = trainer.parameter("w");
        trainer.forward({{"x", ones}});
        trainer.backward({{"y", g}}, true);
        trainer.step();
        const ir::Literal after = trainer.parameter("w");
        for (std::int64_t i = 0; i < 32; ++i)
            CHECK(before.at(i) - after.at(i) == Approx(0.5 * g.at(i) / (g.at(i) + 1e-8)).epsilon(0.03));
    }
}

TEST_CASE("updates that are small beside a weight add up with compensation only") {
    // one weight, 0.875; its gradient is 1 in every step
    const std::string text = "%x = input : f32[1, 32]\n%w = " + []() {
        std::string values;
        for (int i = 0; i < 32; ++i) values += i ? ", 0.875" : "0.875";
        return "constant [" + values + "] : f32[32]\n%y = multiply %x, %w : f32[1, 32]\noutput \"y\" = %y\n";
    }();
    ir::Literal ones(ir::DType::F32, {1, 32});
    for (std::int64_t i = 0; i < 32; ++i) ones.set(i, 1);
    const double rate = 1.0 / (1 << 15), wanted = 0.875 - 40 * rate;
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const DataFormat df : {DataFormat::Float32, DataFormat::Float16_b})
            for (const bool compensated : {false, true}) {
                ir::CompileOptions options = options_for(df, device, ir::OptimizerKind::Sgd);
                options.microbatch = options.emit.microbatch_count = 1;
                options.training->optimizer.learning_rate = rate;
                options.training->optimizer.compensated = compensated;
                runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"), options),
                                         functional(Numerics::Real));
                for (int step = 0; step < 40; ++step) {
                    trainer.forward({{"x", ones}});
                    trainer.backward({{"y", ones}}, true);
                    trainer.step();
                }
                const double value = trainer.parameter("w").at(5);
                INFO(device << " " << to_string(df) << " " << compensated << ": " << value);
                if (!compensated) {
                    CHECK(trainer.state("w").empty());
                    CHECK(std::fabs(value - wanted) > 20 * rate);
                    continue;
                }
                CHECK(std::fabs(value - wanted) < rate / 4);
                const double residue = trainer.state("w").at("residue").at(5);
                trainer.set_parameter("w", trainer.parameter("w"));
                CHECK(trainer.parameter("w").at(5) == value);
                CHECK(trainer.state("w").at("residue").at(5) == residue);
            }
}

TEST_CASE("Adam's average of squares falls with the gradients if updates are compensated") {
    const std::string text =
        "%x = input : f32[1, 32]\n%w = constant [0.875] : f32[1, 32]\n%y = multiply %x, %w\noutput \"y\" = %y\n";
    const auto filled = [](double value) {
        return ir::Literal::filled(ir::Literal::scalar(ir::DType::F32, value), {1, 32});
    };
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const DataFormat df : {DataFormat::Float32, DataFormat::Float16_b}) {
            ir::CompileOptions options = options_for(df, device, ir::OptimizerKind::Adam);
            options.microbatch = options.emit.microbatch_count = 1;
            options.training->optimizer.learning_rate = 1e-3;
            options.training->optimizer.compensated = true;
            runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"), options),
                                     functional(Numerics::Real));
            double wanted = 0;
            for (int step = 0; step < 180; ++step) {
                const double gradient = step < 60 ? 1 : 0.125;
                trainer.forward({{"x", filled(1)}});
                trainer.backward({{"y", filled(gradient)}}, true);
                trainer.step();
                wanted += 0.001 * (gradient * gradient - wanted);
            }
            INFO(device << " " << to_string(df));
            CHECK(trainer.state("w").contains("remainder"));
            CHECK(trainer.state("w").at("square").at(5) == Approx(wanted).epsilon(0.01));
        }
}

TEST_CASE("a restored state goes on like the first") {
    const ir::Literal x = random_literal({2, 3, 40}, 1, 3), g = random_literal({2, 3, 50}, 1, 4);
    ir::CompileOptions options = options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Adam);
    options.training->optimizer.learning_rate = 0.01;
    const auto step = [&](runtime::Trainer& trainer) {
        trainer.forward({{"x", x}});
        trainer.backward({{"y", g}}, true);
        trainer.step();
    };
    const ir::CompiledModel model = ir::compile(ir::parse_graph(linear_text(), "test.tg"), options);
    runtime::Trainer first(model, functional(Numerics::Float32)), second(model, functional(Numerics::Float32));
    for (int n = 0; n < 3; ++n) step(first);
    for (const runtime::ModelTensor& parameter : first.parameters()) {
        second.set_parameter(parameter.name, first.parameter(parameter.name));
        second.set_state(parameter.name, first.state(parameter.name));
    }
    second.set_steps(first.steps());
    step(first);
    step(second);
    CHECK(first.steps() == 4);
    CHECK(first.parameter("w").copied_floats() == second.parameter("w").copied_floats());
    CHECK(first.state("w").at("square").copied_floats() == second.state("w").at("square").copied_floats());
    CHECK_THROWS_WITH(second.set_state("w", {{"momentum", first.parameter("w")}}),
                      Catch::Contains("the optimizer of 'w' has no state 'momentum'"));
    CHECK_THROWS_WITH(second.set_parameter("w", first.parameter("b")),
                      Catch::Contains("parameter 'w' is f32[40, 50], not f32[50]"));
}

TEST_CASE("values that the host sets are rounded to the nearest of their format") {
    const ir::CompiledModel model = ir::compile(ir::parse_graph(linear_text(), "test.tg"),
                                                options_for(DataFormat::Float16_b, "gs_e150", ir::OptimizerKind::Sgd));
    runtime::ModelOptions golden = functional(Numerics::Float32);
    golden.session.golden = true;
    runtime::Trainer trainer(model, functional(Numerics::Real)), exact(model, golden);
    const ir::Literal values = random_literal({50}, 1, 9);
    exact.set_parameter("b", values);
    CHECK(exact.parameter("b").copied_floats() == values.copied_floats());
    trainer.set_parameter("b", values);
    const ir::Literal stored = trainer.parameter("b");
    for (std::int64_t i = 0; i < 50; ++i)  // half a digit of 8
        CHECK(std::fabs(stored.at(i) - values.at(i)) <= std::ldexp(std::fabs(values.at(i)), -8));
    double sum = 0;
    for (std::int64_t i = 0; i < 50; ++i) sum += std::fabs(stored.at(i)) - std::fabs(values.at(i));
    CHECK(std::fabs(sum) < 0.02);  // truncation would take 0.05
}

TEST_CASE("with everything frozen only inputs are differentiated") {
    ir::CompileOptions options = options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::None);
    options.training->frozen = {"*"};
    options.training->input_gradients = {"x"};
    runtime::Trainer trainer(ir::compile(ir::parse_graph(linear_text(), "test.tg"), options),
                             functional(Numerics::Float32));
    CHECK(trainer.parameters().empty());
    const ir::Literal g = random_literal({2, 3, 50}, 1, 4);
    trainer.forward({{"x", random_literal({2, 3, 40}, 1, 3)}});
    CHECK(trainer.backward({{"y", g}}, true).at("x").dims() == ir::Dims{2, 3, 40});
}

TEST_CASE("what cannot be trained is refused by name") {
    ir::CompileOptions options = options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Sgd);
    options.training->frozen = {"*"};
    CHECK_THROWS_WITH(ir::compile(ir::parse_graph(linear_text(), "test.tg"), options),
                      Catch::Contains("there is nothing to train"));
    // a comparison with a trained constant has no gradient; without training it is a step of the host
    const std::string text = "%x = input : f32[2, 4]\n%limit = " + values_text({4}, 1, 1) +
                             "%w = " + values_text({4, 8}, 1, 2) +
                             "%c = less %x, %limit : bool[2, 4]\n%f = cast %c {to = \"f32\"} : f32[2, 4]\n"
                             "%y = matmul %f, %w : f32[2, 8]\noutput \"y\" = %y\n";
    options.training->frozen.clear();
    CHECK(ir::compile(ir::parse_graph(text, "test.tg"), options).trained.size() == 1);
    const std::string picks = "%x = input : f32[2, 4]\n%i = input : i64[4]\n%table = " + values_text({4}, 1, 1) +
                              "%g = gather_elements %table, %i {axis = 0}\n%y = multiply %x, %g\noutput \"y\" = %y\n";
    CHECK_THROWS_WITH(ir::compile(ir::parse_graph(picks, "test.tg"), options),
                      Catch::Contains("'g' (gather_elements) would run on the host") &&
                          Catch::Contains("freeze the tensors that it depends on"));
    options.training->frozen = {"limit"};
    CHECK(ir::compile(ir::parse_graph(text, "test.tg"), options).trained.size() == 1);
}
