// Tables and matrices that are trained in parts, each with a summed gradient that fits L1.
#include <fmt/ranges.h>

#include <catch2/catch.hpp>

#include "tests/runtime/training_models.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

constexpr std::int64_t rows = 6000, width = 768;

ir::CompiledModel compiled_table(const std::string& device, ir::OptimizerKind optimizer) {
    const std::string text = fmt::format(
        "%ids = input : i64[6]\n%w = constant [0.5] : f32[{0}, {1}]\n"
        "%y = take %w, %ids {{axis = 0}} : f32[6, {1}]\noutput \"y\" = %y\n",
        rows, width);
    ir::CompileOptions options = options_for(DataFormat::Float16_b, device, optimizer);
    options.microbatch = options.emit.microbatch_count = 1;
    return ir::compile(ir::parse_graph(text, "test.tg"), options);
}

}  // namespace

TEST_CASE("a table is one parameter to its user, and its parts are trained as one") {
    const std::int64_t ids[] = {3, 5119, 5120, -1, 3, 17};  // 5120 is the first row of the second part
    ir::Literal index(ir::DType::I64, {6});
    for (std::int64_t i = 0; i < 6; ++i) index.set_integer(i, ids[i]);
    const ir::Literal g = random_literal({6, width}, 1, 1);
    std::map<std::int64_t, std::vector<double>> want;  // gradients by row
    for (std::int64_t i = 0; i < 6; ++i) {
        std::vector<double>& row = want[ids[i] < 0 ? ids[i] + rows : ids[i]];
        row.resize(width);
        for (std::int64_t c = 0; c < width; ++c) row[static_cast<std::size_t>(c)] += g.at(i * width + c);
    }
    const ir::CompiledModel model = compiled_table("wh_n150", ir::OptimizerKind::Sgd);
    REQUIRE(model.trained.size() == 2);
    runtime::Trainer trainer(model, functional(Numerics::Real));
    REQUIRE(trainer.parameters().size() == 1);
    CHECK(trainer.parameters().front().name == "w");
    CHECK(trainer.parameters().front().type.dims == ir::Dims{rows, width});
    ir::Literal before = random_literal({rows, width}, 1, 2);
    trainer.set_parameter("w", before);
    before = trainer.parameter("w");  // rounded
    const ir::Literal y = trainer.forward({{"ids", index}}).at("y");
    trainer.backward({{"y", g}}, true);
    const ir::Literal gradient = trainer.gradient("w");
    trainer.step();
    const ir::Literal after = trainer.parameter("w");
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 6 * width; ++i) {
        const std::int64_t row = ids[i / width] < 0 ? ids[i / width] + rows : ids[i / width];
        wrong += y.at(i) == before.at(row * width + i % width) ? 0 : 1;
    }
    for (std::int64_t i = 0; i < rows * width; ++i) {
        const auto found = want.find(i / width);
        const double own = found == want.end() ? 0 : found->second[static_cast<std::size_t>(i % width)];
        wrong += std::fabs(gradient.at(i) - own) <= 0.02 ? 0 : 1;
        wrong += std::fabs(after.at(i) - (before.at(i) - 0.5 * own)) <= 0.03 ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK_THROWS_WITH(trainer.set_parameter("w", random_literal({rows - 1, width}, 1, 1)),
                      Catch::Contains("parameter 'w' is f32[6000, 768], not f32[5999, 768]"));
}

TEST_CASE("the state of a table in parts is read and restored whole") {
    const ir::CompiledModel model = compiled_table("gs_e150", ir::OptimizerKind::Adam);
    REQUIRE(model.trained.size() > 1);
    runtime::Trainer trainer(model, functional(Numerics::Real));
    const ir::Literal mean = random_literal({rows, width}, 1, 3);
    trainer.set_state("w", {{"mean", mean}});
    const ir::Values state = trainer.state("w");
    CHECK(state.at("mean").dims() == ir::Dims{rows, width});
    CHECK(correlation(state.at("mean"), mean) > 0.99999);
    CHECK(state.contains("square"));
}

namespace {

/// `use`: lines that make %y, f32[3, 70], of %x, f32[3, 70], and %w, f32[70, 70].
ir::CompiledModel compiled_matrix(const std::string& use, ir::OptimizerKind optimizer, std::int64_t parts) {
    const std::string text = "%x = input : f32[3, 70]\n%ids = input : i64[3]\n%w = constant [0.5] : f32[70, 70]\n" +
                             use + "output \"y\" = %y\n";
    ir::CompileOptions options = options_for(DataFormat::Float32, "gs_e150", optimizer);
    options.microbatch = options.emit.microbatch_count = 1;
    if (parts > 1) options.divided.emplace("w", parts);
    return ir::compile(ir::parse_graph(text, "test.tg"), options);
}

double largest_difference(const ir::Literal& a, const ir::Literal& b) {
    double most = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a.at(i) - b.at(i)));
    return most;
}

/// What a step leaves: the result, gradients and the parameter.
std::vector<ir::Literal> step_of(const ir::CompiledModel& model) {
    runtime::Trainer trainer(model, functional(Numerics::Float32));
    trainer.set_parameter("w", random_literal({70, 70}, 1, 2));
    ir::Literal ids(ir::DType::I64, {3});
    for (std::int64_t i = 0; i < 3; ++i) ids.set_integer(i, 34 * i);
    std::vector<ir::Literal> found;
    found.push_back(trainer.forward({{"x", random_literal({3, 70}, 1, 3)}, {"ids", ids}}).at("y"));
    trainer.backward({{"y", random_literal({3, 70}, 1, 4)}}, true);
    trainer.step();
    found.push_back(trainer.gradient("w"));
    found.push_back(trainer.parameter("w"));
    return found;
}

}  // namespace

TEST_CASE("a matrix in parts trains as a whole one") {
    const std::string uses[] = {"%y = matmul %x, %w : f32[3, 70]\n",
                                "%t = transpose %w {perm = [1, 0]} : f32[70, 70]\n%y = matmul %x, %t : f32[3, 70]\n",
                                // a tied table
                                "%e = take %w, %ids {axis = 0} : f32[3, 70]\n%s = add %e, %x : f32[3, 70]\n"
                                "%t = transpose %w {perm = [1, 0]} : f32[70, 70]\n%y = matmul %s, %t : f32[3, 70]\n"};
    constexpr ir::OptimizerKind optimizers[] = {ir::OptimizerKind::Sgd, ir::OptimizerKind::Lamb,
                                                ir::OptimizerKind::Lars};
    for (std::size_t k = 0; k < std::size(uses); ++k) {
        const ir::CompiledModel whole = compiled_matrix(uses[k], optimizers[k], 1),
                                parts = compiled_matrix(uses[k], optimizers[k], 2);
        CHECK(whole.trained.size() == 1);
        CHECK(parts.trained.size() == 2);
        const std::vector<ir::Literal> want = step_of(whole), found = step_of(parts);
        for (std::size_t i = 0; i < want.size(); ++i) {
            CHECK(found[i].dims() == want[i].dims());
            CHECK(largest_difference(found[i], want[i]) < 1e-5);
        }
    }
}

TEST_CASE("a matrix whose summed gradient fits on no grid is trained in parts") {
    const std::string text =
        "%x = input : f32[32, 4096]\n%w = constant [0.5] : f32[4096, 4096]\n%t = transpose %w {perm = [1, 0]} : "
        "f32[4096, 4096]\n%y = matmul %x, %t : f32[32, 4096]\noutput \"y\" = %y\n";
    ir::CompileOptions options = options_for(DataFormat::Float16_b, "gs_e150", ir::OptimizerKind::Sgd);
    options.microbatch = options.emit.microbatch_count = 1;
    const ir::CompiledModel model = ir::compile(ir::parse_graph(text, "test.tg"), options);
    CHECK(model.trained.size() == 2);
    CHECK_THAT(fmt::format("{}", fmt::join(model.report.notes, "\n")),
               Catch::Contains("the rows of 'w' are 2 parameters, because the sum of its gradients does not fit L1"));
}
