#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/part.hpp"

using namespace ttsim::impl;

TEST_CASE("a part that is linked is not loaded") {
    const int table = 1;
    CHECK(part_table(&table, "nothing") == &table);
}

TEST_CASE("a part that is missing is named, with what to do") {
    CHECK_THROWS_WITH(
        part_table(nullptr, "nothing"),
        Catch::StartsWith("error: a part of ttsim cannot be loaded: /") &&
            Catch::EndsWith("/lib/ttsim/libttsim_nothing.so: cannot open shared object file: No such file or "
                            "directory; install or build ttsim again"));
}
