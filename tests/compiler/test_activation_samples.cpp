#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <numeric>

#include "compiler/ir/graph.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/passes/activation_samples.hpp"

using namespace ttsim::impl;

namespace {

/// Means of what the first product reads, once `picks` {terms, 64} are taken from the positive part of 64 normal rows.
std::vector<double> means_of_terms(const std::vector<std::vector<std::int64_t>>& picks) {
    std::vector<std::int64_t> all;
    for (const auto& term : picks) all.insert(all.end(), term.begin(), term.end());
    const std::size_t terms = picks.size();
    ir::CompileOptions options;
    options.device = "wh_n150";
    const ir::Graph graph = ir::compile_until(ir::parse_graph(fmt::format(R"(%x = input : f32[1, 64, 32]
%r = relu %x
%p = constant [{}] : i32[{}, 64]
%w = constant [1] : f32[{}, 32, 8]
%y = gather_sum %r, %p, %w
output "y" = %y
)",
                                                                          fmt::join(all, ", "), terms, terms),
                                                              "picked.tg"),
                                              options, "lower-to-buda")
                                .graph;
    const auto product = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                      [](const ir::Node& node) { return node.op == ir::op::buda::matmul; });
    REQUIRE(product != graph.nodes.end());
    const auto columns = ir::ActivationSamples(graph, 1).means(*product, 0);
    REQUIRE(columns);
    REQUIRE(columns->size() == 32 * terms);
    std::vector<double> means;
    for (std::size_t term = 0; term < terms; ++term)
        means.push_back(std::accumulate(columns->begin() + static_cast<std::ptrdiff_t>(32 * term),
                                        columns->begin() + static_cast<std::ptrdiff_t>(32 * term + 32), 0.0) /
                        32);
    return means;
}

}  // namespace

TEST_CASE("the mean input of a tap is smaller where it selects no row") {
    std::vector<std::int64_t> all(64), half(64, -1), few(64, -1);
    for (std::int64_t row = 0; row < 64; ++row) {
        const auto k = static_cast<std::size_t>(row);
        all[k] = 63 - row;
        if (row % 2 == 0) half[k] = row / 2;
        if (row < 8) few[k] = row;
    }
    const double whole = 0.3989;  // of the positive part of a normal distribution
    const std::vector<double> means = means_of_terms({all, half, few});
    CHECK(means[0] == Approx(whole).margin(0.05));
    CHECK(means[1] == Approx(whole / 2).margin(0.05));
    CHECK(means[2] == Approx(whole / 8).margin(0.03));
    // rows that fill up the tile, 40 of 64, are none of the result's
    std::vector<std::int64_t> there(64, -1), alternate(64, -1);
    for (std::size_t k = 0; k < 24; ++k) (k % 2 == 0 ? there : alternate)[k] = static_cast<std::int64_t>(k);
    const std::vector<double> filled = means_of_terms({there, alternate});
    CHECK(filled[0] == Approx(whole / 2).margin(0.05));
    CHECK(filled[1] == Approx(whole / 2).margin(0.05));
}

TEST_CASE("means are those of a sample where one is given") {
    ir::CompileOptions options;
    options.device = "wh_n150";
    const ir::Graph graph = ir::compile_until(ir::parse_graph(R"(%x = input : f32[1, 200, 32]
%w = constant [1] : f32[32, 8]
%y = matmul %x, %w
output "y" = %y
)",
                                                              "sampled.tg"),
                                              options, "lower-to-buda")
                                .graph;
    const auto product = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                      [](const ir::Node& node) { return node.op == ir::op::buda::matmul; });
    REQUIRE(product != graph.nodes.end());
    ir::Literal sample(ir::DType::F32, {1, 200, 32});
    for (std::int64_t i = 0; i < sample.size(); ++i) sample.set(i, 3 + static_cast<double>(i % 32));
    const ir::Values samples{{"x", sample}}, none;
    const auto means = ir::ActivationSamples(graph, 1, &samples).means(*product, 0);
    REQUIRE(means);
    for (std::size_t c = 0; c < 32; ++c) CHECK(means->at(c) == Approx(3 + static_cast<double>(c)));
    CHECK_FALSE(ir::ActivationSamples(graph, 1, &none).means(*product, 0));  // of another part of the device
}
