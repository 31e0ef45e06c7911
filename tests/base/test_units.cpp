#include <catch2/catch.hpp>

#include "base/units.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::literals;

template <class A, class B>
concept addable = requires(A a, B b) {
    a + b;
};
static_assert(addable<Cycles, Cycles>);
static_assert(!addable<Cycles, Bytes>, "units must not mix");
static_assert(!std::is_convertible_v<std::uint64_t, Cycles>, "a number is no count until it is said of what");

TEST_CASE("a started cycle of a transfer counts whole") {
    CHECK(cycles_to_move(64_B, {32}) == 2_cycles);
    CHECK(cycles_to_move(65_B, {32}) == 3_cycles);
    CHECK(cycles_to_move(0_B, {32}) == 0_cycles);
    CHECK(cycles_to_move(223_B, {22.3}).value() >= 10);
    CHECK(cycles_to_move(1_B, {22.3}) == 1_cycles);
}

TEST_CASE("counts add, compare and print with their unit") {
    CHECK(1_KiB + 24_B == Bytes(1048));
    CHECK(5_cycles > 4_cycles);
    CHECK(5_cycles * 3 == 15_cycles);
    CHECK(fmt::format("{}", 15_cycles) == "15 cycles");
    CHECK(fmt::format("{}", Tiles(3)) == "3 tiles");
}
