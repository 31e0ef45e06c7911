// Dropout, recompute and optimizers with trust ratios on the simulated chip.
#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/ops/dropout_mask.hpp"
#include "tests/runtime/training_models.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

TEST_CASE("dropout has the same mask forward and backward, another one for each sample, and the same for one seed") {
    const std::string text = "%x = input : f32[2, 40, 50]\n%w = " + values_text({50}, 0.3, 1) +
                             "%m = multiply %x, %w : f32[2, 40, 50]\n"
                             "%y = dropout %m {p = 0.4} : f32[2, 40, 50]\noutput \"y\" = %y\n";
    ir::CompileOptions options = options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Sgd);
    options.training->dropout_seed = 7;
    options.training->input_gradients = {"x"};
    const ir::CompiledModel model = ir::compile(ir::parse_graph(text, "test.tg"), options);
    ir::Literal ones(ir::DType::F32, {4, 2, 40, 50});
    for (std::int64_t i = 0; i < ones.size(); ++i) ones.set(i, 1);

    struct Step {
        ir::Literal y, dx, dw;
    };
    const auto run = [&](runtime::Trainer& trainer) {
        const ir::Literal y = trainer.forward({{"x", ones}}).at("y");
        const ir::Literal dx = trainer.backward({{"y", ones}}, true).at("x");
        return Step{y, dx, trainer.gradient("w")};
    };
    runtime::Trainer trainer(model, functional(Numerics::Float32));
    const std::int64_t seed = dropout_seed(7, 0, 0);
    std::size_t kept = 0;
    for (std::int64_t step = 0; step < 2; ++step) {
        const Step found = run(trainer);
        std::vector<double> sums(50, 0);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < ones.size(); ++i) {
            const std::int64_t sample = i / 4000, row = i / 50 % 40 + i / 2000 % 2 * 64, col = i % 50;
            const DropoutMask mask(0.4, seed, step * 4 + sample);
            const bool keeps = mask.keeps(mask.row_key(row), col);
            kept += keeps ? 1U : 0U;
            sums[static_cast<std::size_t>(col)] += keeps ? 1 / 0.6 : 0;
            wrong += (found.y.at(i) != 0) == keeps && (found.dx.at(i) != 0) == keeps ? 0 : 1;
        }
        CHECK(wrong == 0);
        for (std::int64_t col = 0; col < 50; ++col)
            CHECK(found.dw.at(col) == Approx(sums[static_cast<std::size_t>(col)]).epsilon(1e-4));
    }
    CHECK(static_cast<double>(kept) / (2.0 * static_cast<double>(ones.size())) == Approx(0.6).margin(0.01));

    // any engine, golden, any number of threads; and from a restored sample
    const auto equals = [&](runtime::ModelOptions with, std::int64_t samples) {
        runtime::Trainer one(model, functional(Numerics::Float32)), other(model, std::move(with));
        one.set_samples(samples);
        other.set_samples(samples);
        const Step a = run(one), b = run(other);
        return a.y.copied_floats() == b.y.copied_floats() && a.dx.copied_floats() == b.dx.copied_floats() &&
               correlation(a.dw, b.dw) > 0.999999;
    };
    runtime::ModelOptions timed = functional(Numerics::Float32), golden = timed, threads = timed;
    timed.session.mode = sim::Mode::Full;
    golden.session.golden = true;
    threads.session.threads = 3;
    CHECK(equals(timed, 0));
    CHECK(equals(threads, 1000));
    runtime::Trainer one(model, functional(Numerics::Float32)), other(model, golden);
    one.set_samples(4);
    other.set_samples(4);
    const Step a = run(one), b = run(other);  // golden rounds once less
    for (std::int64_t i = 0; i < a.y.size(); i += 7) CHECK(a.y.at(i) == Approx(b.y.at(i)).epsilon(1e-6));
}

TEST_CASE("a forward pass without dropout has the values of inference") {
    const std::string text = "%x = input : f32[1, 32]\n%w = " + values_text({32}, 0.3, 1) +
                             "%m = multiply %x, %w : f32[1, 32]\n"
                             "%y = dropout %m {p = 0} : f32[1, 32]\noutput \"y\" = %y\n";
    runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"),
                                         options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Sgd)),
                             functional(Numerics::Float32));
    ir::Literal ones(ir::DType::F32, {2, 1, 32});
    for (std::int64_t i = 0; i < ones.size(); ++i) ones.set(i, 1);
    const ir::Literal y = trainer.forward({{"x", ones}}).at("y"), w = trainer.parameter("w");
    for (std::int64_t i = 0; i < 32; ++i) CHECK(y.at(i) == Approx(w.at(i)).epsilon(1e-6));
}

TEST_CASE("recomputed values give the same bits, and none is saved") {
    std::string text = network_text();
    const std::string relu = "%r = relu %c : f32[1, 6, 8, 8]\n";
    text.replace(text.find(relu), relu.size(),
                 "%d = dropout %c {p = 0.25} : f32[1, 6, 8, 8]\n%r = tanh %d : f32[1, 6, 8, 8]\n");
    const ir::Literal x = random_literal({4, 1, 2, 8, 8}, 1, 5), g = random_literal({4, 1, 10}, 1, 6);
    for (const char* device : {"wh_n150", "gs_e150"}) {
        ir::CompileOptions options = options_for(DataFormat::Float16_b, device, ir::OptimizerKind::Adam);
        options.training->optimizer.learning_rate = 0.01;
        options.training->input_gradients = {"x"};
        const ir::CompiledModel saved = ir::compile(ir::parse_graph(text, "test.tg"), options);
        options.training->recompute = true;
        const ir::CompiledModel again = ir::compile(ir::parse_graph(text, "test.tg"), options);
        INFO(device);
        CHECK(saved.report.saved_bytes > 0);
        CHECK(again.report.saved_bytes == 0);
        CHECK(bits_of_two_steps(saved, x, g) == bits_of_two_steps(again, x, g));
    }
}

TEST_CASE("checkpoints are saved by name, or as many as a limit has room for, and give the same bits") {
    const ir::Literal x = random_literal({4, 1, 2, 8, 8}, 1, 5), g = random_literal({4, 1, 10}, 1, 6);
    ir::CompileOptions options = options_for(DataFormat::Float16_b, "wh_n150", ir::OptimizerKind::Sgd);
    const ir::CompiledModel saved = ir::compile(ir::parse_graph(network_text(), "test.tg"), options);
    const auto bits = bits_of_two_steps(saved, x, g);
    const std::int64_t all = saved.report.saved_bytes;
    options.training->recompute = true;
    std::set<std::int64_t> found;
    for (const std::int64_t limit : {all, all / 2, std::int64_t{1}}) {
        options.training->saved_limit = limit;
        const ir::CompiledModel part = ir::compile(ir::parse_graph(network_text(), "test.tg"), options);
        INFO(limit << " of " << all << " bytes");
        CHECK(part.report.saved_bytes <= limit);
        CHECK(bits_of_two_steps(part, x, g) == bits);
        found.insert(part.report.saved_bytes);
    }
    CHECK(found.size() == 3);
    CHECK(found.contains(all));
    CHECK(found.contains(0));
    options.training->saved_limit = 0;
    options.training->checkpoints = {"m.*"};
    const ir::CompiledModel named = ir::compile(ir::parse_graph(network_text(), "test.tg"), options);
    CHECK(named.report.saved_bytes > 0);
    CHECK(named.report.saved_bytes < all);
    CHECK(bits_of_two_steps(named, x, g) == bits);
    options.training->checkpoints = {"n"};
    CHECK_THROWS_WITH(ir::compile(ir::parse_graph(network_text(), "test.tg"), options),
                      Catch::Contains("no forward op matches the checkpoint 'n'"));
}

TEST_CASE("a recomputed product has the inner blocks of the forward product") {
    // 64 tiles of inner dimension: the products of both programs compete with others for grids
    std::string text =
        "%x = input : f32[64, 2048]\n%w = constant [0.01] : f32[2048, 256]\n"
        "%m = matmul %x, %w : f32[64, 256]\n%t = tanh %m : f32[64, 256]\n"
        "%u = square %t : f32[64, 256]\n%s = multiply %u, %t : f32[64, 256]\noutput \"y\" = %s\n";
    ir::CompileOptions options = options_for(DataFormat::Float16_b, "gs_e150", ir::OptimizerKind::None);
    options.training->recompute = true;
    options.training->parameters = {"w"};
    const ir::CompiledModel model = ir::compile(ir::parse_graph(text, "test.tg"), options);
    std::map<std::string, std::int64_t> blocks;
    for (const Graph& graph : model.netlist.graphs)
        for (const Op& op : graph.ops)
            if (op.cfg.type == "matmul") blocks[op.name()] = op.cfg.attr.u_kt;
    std::size_t copies = 0;
    for (const auto& [name, u_kt] : blocks)
        if (name.ends_with(ir::recompute_suffix)) {
            ++copies;
            CHECK(blocks.at(name.substr(0, name.size() - ir::recompute_suffix.size())) == u_kt);
        }
    CHECK(copies == 1);
}

namespace {

using Numbers = std::vector<double>;

double norm(const Numbers& x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return std::sqrt(sum);
}
Numbers numbers(const ir::Literal& x) {
    Numbers made;
    for (std::int64_t i = 0; i < x.size(); ++i) made.push_back(x.at(i));
    return made;
}

/// The definitions of LAMB and LARS, one step for one parameter.
struct Reference {
    const ir::OptimizerSettings& settings;
    Numbers mean{}, square{};
    int steps = 0;

    Numbers step(const Numbers& p, const Numbers& g) {
        ++steps;
        mean.resize(p.size());
        square.resize(p.size());
        return settings.kind == ir::OptimizerKind::Lamb ? lamb(p, g) : lars(p, g);
    }
    Numbers lamb(Numbers p, const Numbers& g) {
        Numbers r(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) {
            mean[i] += (1 - settings.beta1) * (g[i] - mean[i]);
            square[i] += (1 - settings.beta2) * (g[i] * g[i] - square[i]);
            const double m = settings.bias_correction ? mean[i] / (1 - std::pow(settings.beta1, steps)) : mean[i];
            const double v = settings.bias_correction ? square[i] / (1 - std::pow(settings.beta2, steps)) : square[i];
            r[i] = m / (std::sqrt(v) + settings.epsilon) + settings.weight_decay * p[i];
        }
        const double ratio =
            norm(p) > 0 && norm(r) > 0 ? std::clamp(norm(p) / norm(r), settings.trust_least, settings.trust_most) : 1;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] -= settings.learning_rate * ratio * r[i];
        return p;
    }
    Numbers lars(Numbers p, const Numbers& g) {
        const double below = norm(g) + settings.weight_decay * norm(p) + settings.epsilon;
        const double local = norm(p) > 0 && norm(g) > 0 ? settings.trust_coefficient * norm(p) / below : 1;
        Numbers next = p;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double moved = settings.learning_rate * local * (g[i] + settings.weight_decay * p[i]);
            mean[i] = settings.momentum * mean[i] + (1 - settings.dampening) * moved;
            next[i] -= settings.nesterov ? moved + settings.momentum * mean[i] : mean[i];
        }
        return next;
    }
};

/// The largest relative error of the changes of parameters, over three steps; a zero parameter is `z`.
double error_of_changes(const ir::CompileOptions& options, Numerics numerics) {
    const std::string text = "%x = input : f32[3, 40]\n%w = " + values_text({40, 50}, 0.3, 1) +
                             "%z = constant [0] : f32[50]\n%m = matmul %x, %w : f32[3, 50]\n"
                             "%y = add %m, %z : f32[3, 50]\noutput \"y\" = %y\n";
    runtime::Trainer trainer(ir::compile(ir::parse_graph(text, "test.tg"), options), functional(numerics));
    const ir::OptimizerSettings& settings = options.training->optimizer;
    std::map<std::string, Reference> references{{"w", {settings}}, {"z", {settings}}};
    std::map<std::string, Numbers> wanted, first;
    for (auto& [name, unused] : references) first[name] = wanted[name] = numbers(trainer.parameter(name));
    double worst = 0;
    for (unsigned step = 0; step < 3; ++step) {
        trainer.forward({{"x", random_literal({2, 3, 40}, 1, 30 + step)}});
        trainer.backward({{"y", random_literal({2, 3, 50}, 1, 40 + step)}}, true);
        for (auto& [name, reference] : references)
            wanted[name] = reference.step(wanted[name], numbers(trainer.gradient(name)));
        trainer.step();
        for (const auto& [name, unused] : references) {
            const Numbers found = numbers(trainer.parameter(name));
            Numbers change, error;
            for (std::size_t i = 0; i < found.size(); ++i) {
                change.push_back(wanted[name][i] - first[name][i]);
                error.push_back(wanted[name][i] - found[i]);
            }
            worst = std::max(worst, norm(error) / norm(change));
        }
    }
    return worst;
}

}  // namespace

TEST_CASE("LAMB and LARS update as their definitions say, and norms do not count tile padding") {
    ir::CompileOptions options = options_for(DataFormat::Float32, "wh_n150", ir::OptimizerKind::Lamb);
    ir::OptimizerSettings& settings = options.training->optimizer;
    settings.learning_rate = 0.1;
    settings.weight_decay = 0.01;
    for (const bool correction : {false, true})
        for (const double most : {10.0, 0.2}) {
            settings.bias_correction = correction;
            settings.trust_most = most;
            INFO("LAMB " << correction << " " << most);
            CHECK(error_of_changes(options, Numerics::Float32) < 1e-4);
        }
    settings.kind = ir::OptimizerKind::Lars;
    settings.momentum = 0.9;
    settings.trust_coefficient = 0.1;
    for (const bool nesterov : {false, true}) {
        settings.nesterov = nesterov;
        settings.dampening = nesterov ? 0.25 : 0;
        INFO("LARS " << nesterov);
        CHECK(error_of_changes(options, Numerics::Float32) < 1e-4);
    }
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const ir::OptimizerKind kind : {ir::OptimizerKind::Lamb, ir::OptimizerKind::Lars}) {
            ir::CompileOptions half = options;
            half.device = device;
            half.default_df = DataFormat::Float16_b;
            half.training->optimizer.kind = kind;
            half.training->optimizer.compensated = true;
            // weights that are read lack up to half a digit of 8, so their changes are large here
            if (kind == ir::OptimizerKind::Lars) half.training->optimizer.learning_rate = 1;
            INFO(device << " " << static_cast<int>(kind));
            CHECK(error_of_changes(half, Numerics::Real) < 0.03);
        }
}
