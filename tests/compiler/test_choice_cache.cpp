// What is found again of ops alike.
#include <catch2/catch.hpp>

#include "compiler/backend/choice_cache.hpp"

using namespace ttsim::impl::ir;

namespace {

LiteralPtr index_of(std::int64_t rows, std::int64_t shift) {
    Literal index(DType::I32, {rows, 1});
    for (std::int64_t i = 0; i < rows; ++i) index.set(i, static_cast<double>((i + shift) % rows));
    return std::make_shared<Literal>(std::move(index));
}

}  // namespace

TEST_CASE("a pattern is made once for equal operands, of the same elements or others") {
    constexpr std::int64_t rows = 64, large = 1 << 16;
    ChoiceCache cache;
    const LiteralPtr index = index_of(rows, 3);
    const auto pattern = cache.pattern(index, nullptr, 2);
    CHECK(cache.pattern(index, nullptr, 2) == pattern);
    CHECK(cache.pattern(index_of(rows, 3), nullptr, 2) == pattern);
    CHECK(cache.pattern(index, nullptr, 3) != pattern);
    Literal weights(DType::F32, {rows, 1});
    CHECK(cache.pattern(index, std::make_shared<Literal>(weights), 2) != pattern);
    // the next may lie where the last one did
    for (std::int64_t shift = 4; shift < 20; ++shift) {
        const auto other = cache.pattern(index_of(rows, shift), nullptr, 2);
        CHECK(other->places.size() > 0);
        CHECK(other != pattern);
        CHECK(other == cache.pattern(index_of(rows, shift), nullptr, 2));
    }
    // one element of many is another
    const auto whole = cache.pattern(index_of(large, 0), nullptr, large / 32);
    Literal nearly = *index_of(large, 0);
    nearly.set(12'345, -1);
    CHECK(cache.pattern(std::make_shared<Literal>(nearly), nullptr, large / 32) != whole);
}
