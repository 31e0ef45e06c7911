// Integers that a data format does not hold, and phases that it has no digits for, in the midst of a model.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/runtime/run_graph.hpp"

using namespace ttsim::impl;
using ir::DType;
using ir::Literal;

TEST_CASE("Indices that the format cannot represent run on the host inside a model, with the ops that compute them") {
    // each of 8 rows chooses one of two leaves of a tree: numbers up to 4 * 119 + 3
    constexpr std::int64_t size = 60, leaves = 8 * size;
    Literal x(DType::F32, {8, size}), w(DType::F32, {size, size}), leaf(DType::F32, {leaves});
    for (std::int64_t i = 0; i < size; ++i) w.set(i * size + (i + 7) % size, 1);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i * 29 % 64 - 32));
    for (std::int64_t i = 0; i < leaves; ++i) leaf.set(i, static_cast<double>(i * 53 % 97 - 48));
    std::string base;
    for (std::int64_t i = 0; i < size; ++i) base += fmt::format("{}{}", i == 0 ? "" : ", ", 2 * i);
    const std::string text =
        "%x = input : f32[8, 60]\n%w = input : f32[60, 60]\n%leaf = input : f32[480]\n%h = matmul %x, %w\n"
        "%z = constant [0] : f32[]\n%l = less %h, %z\n%i = cast %l {to = \"i64\"}\n%base = constant [" +
        base +
        "] : i64[60]\n%n = add %i, %base\n%four = constant [4] : i64[]\n%n4 = multiply %n, %four\n"
        "%n5 = add %n4, %i\n%t = take %leaf, %n5 {axis = 0}\n%s = matmul %t, %w\n%y = relu %s\noutput \"y\" = %y\n";
    for (const char* device : {"wh_n150", "gs_e150"}) {
        const GraphRun how{device, DataFormat::Float16_b, Numerics::Real, true};
        const Literal y = run_graph(ir::parse_graph(text, "tree"), {{"x", x}, {"w", w}, {"leaf", leaf}}, how).at("y");
        for (std::int64_t at = 0; at < y.size(); ++at) {
            const std::int64_t row = at / size, from = (at % size + size - 7) % size;
            const double h = x.at(row * size + (from + size - 7) % size);
            const std::int64_t i = h < 0 ? 1 : 0;
            INFO(device << ", element " << at);
            REQUIRE(y.at(at) == std::max(0.0, leaf.at(4 * (i + 2 * from) + i)));
        }
    }
}

TEST_CASE("The phase of an oscillator is the sum of its steps") {
    constexpr std::int64_t size = 2048;
    Literal x(DType::F32, {1, size});
    for (std::int64_t i = 0; i < size; ++i) x.set(i, 0.25 + 0.125 * std::sin(static_cast<double>(i) / 300));
    const ir::Graph graph = ir::parse_graph(
        "%x = input : f32[1, 2048]\n%p = cumulative_sum %x {axis = 1}\n%two = constant [2] : f32[]\n"
        "%q = multiply %p, %two\n%y = sine %q\n%e = exp %y\noutput \"e\" = %e\n",
        "phase");
    for (const char* device : {"wh_n150", "gs_e150"}) {
        const Literal y = run_graph(graph, {{"x", x}}, {device, DataFormat::Float16_b, Numerics::Real, true}).at("e");
        double sum = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            sum += x.at(i);
            INFO(device << ", step " << i);
            REQUIRE(y.at(i) == Approx(std::exp(std::sin(2 * sum))).epsilon(0.02));
        }
    }
}
