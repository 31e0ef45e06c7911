#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iostream>
#include <random>
#include <vector>

#include "netlist/stimulus/generator.hpp"

using namespace ttsim::impl;

namespace {

std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

/// Places where two rows of values differ in any bit.
std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
    std::size_t count = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += bits(a[i]) != bits(b[i]) ? 1U : 0U;
    return count;
}

std::vector<float> standard_uniform(std::mt19937& engine, float low, float high, std::size_t n) {
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(n);
    for (float& v : values) v = distribution(engine);
    return values;
}

template <class Work>
double seconds(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("the engine gives the sequence of std::mt19937") {
    for (const std::uint32_t seed : {0U, 1U, 5489U, 4294967295U}) {
        Mt19937 ours(seed);
        std::mt19937 theirs(seed);
        std::size_t wrong = 0;
        for (int i = 0; i < 1'000'000; ++i) wrong += ours() != theirs() ? 1U : 0U;
        CHECK(wrong == 0);
    }
    // the standard's own check value
    Mt19937 engine(5489);
    for (int i = 0; i < 9999; ++i) (void)engine();
    CHECK(engine() == 4123659995U);
}

TEST_CASE("uniform floats equal those of the standard library bit for bit") {
    for (const auto& [low, high] :
         {std::pair{0.0F, 1.0F}, {-1.0F, 1.0F}, {0.001F, 1.0F}, {-2.5F, 0.3F}, {0.001F, 0.0005F}}) {
        Mt19937 ours(42);
        std::mt19937 theirs(42);
        std::vector<float> values(1'000'000);
        fill_uniform(ours, low, high, values);
        CHECK(differences(values, standard_uniform(theirs, low, high, values.size())) == 0);
        CHECK(ours() == theirs());  // the same number of draws was used
    }
}

TEST_CASE("a draw that would round to one stays below it") {
    // found by counting: some draw of the first ten million is at least 2^32 - 128
    Mt19937 ours(3);
    std::vector<float> values(20'000'000);
    fill_uniform(ours, 0, 1, values);
    const float most = *std::max_element(values.begin(), values.end());
    CHECK(most < 1.0F);
    CHECK(most > 0.9999998F);
}

TEST_CASE("normal values equal those of the standard library bit for bit") {
    for (const auto& [mean, stddev] : {std::pair{0.0, 1.0}, {0.5, 0.1}, {-3.0, 2.0}}) {
        Mt19937 ours(7);
        std::mt19937 theirs(7);
        std::normal_distribution<double> distribution(mean, stddev);
        std::vector<float> values(1'000'000), wanted(values.size());
        NormalFill(mean, stddev).fill(ours, values);
        for (float& v : wanted) v = static_cast<float>(distribution(theirs));
        CHECK(differences(values, wanted) == 0);
        CHECK(ours() == theirs());
    }
}

TEST_CASE("pieces of any length join to the same normal values, also between other draws") {
    Mt19937 ours(11);
    std::mt19937 theirs(11);
    NormalFill fill(0, 1);
    std::normal_distribution<double> distribution(0, 1);
    std::size_t wrong = 0;
    for (std::size_t length = 0; length < 800; ++length) {
        std::vector<float> values(length), wanted(length);
        fill.fill(ours, values);
        for (float& v : wanted) v = static_cast<float>(distribution(theirs));
        wrong += differences(values, wanted);
        if (length % 3 == 0) wrong += ours() != theirs() ? 1U : 0U;
    }
    CHECK(wrong == 0);
}

TEST_CASE("the engine works with the standard integer distribution like std::mt19937") {
    Mt19937 ours(1);
    std::mt19937 theirs(1);
    std::uniform_int_distribution<std::int64_t> wide(-127, 127);
    std::uniform_int_distribution<std::int32_t> narrow(-127, 127);
    std::size_t wrong = 0;
    for (int i = 0; i < 100'000; ++i) wrong += wide(ours) != narrow(theirs) ? 1U : 0U;
    CHECK(wrong == 0);
}

TEST_CASE("random values are made in blocks, quickly", "[.][benchmark]") {
    std::vector<float> values(1 << 16);
    Mt19937 engine(1);
    NormalFill normal(0, 1);
    constexpr int rounds = 160;
    const double n = rounds * static_cast<double>(values.size());
    const double normal_time = seconds([&] {
        for (int i = 0; i < rounds; ++i) normal.fill(engine, values);
    });
    const double uniform_time = seconds([&] {
        for (int i = 0; i < rounds; ++i) fill_uniform(engine, -1, 1, values);
    });
    std::cout << "normal " << normal_time / n * 1e9 << " ns/value, uniform " << uniform_time / n * 1e9 << " ns/value\n";
}
