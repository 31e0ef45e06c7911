#include <catch2/catch.hpp>
#include <sstream>

#include "analysis/report/table.hpp"

using namespace ttsim::impl::report;

namespace {

Table wide() {
    Table table({{"op", false}, {"type", false}, {"cycles"}, {"share"}, {"verdict", false}});
    table.add({"layer_0.attention.self.query_matmul", "matmul", "123,456", "12.3 %", "pass"});
    table.add({"layer_0.attention.self.softmax_exp", "exp", "1", "0.1 %", "pass"});
    return table;
}

std::size_t widest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
}

}  // namespace

TEST_CASE("a table without a width is as wide as its cells") {
    CHECK_THAT(wide().text(), Catch::Contains("layer_0.attention.self.query_matmul") && Catch::Contains("verdict"));
    CHECK(wide().text(1000) == wide().text());
}

TEST_CASE("a table fits every width: names shrink in the middle, then numbers from the right, the verdict last") {
    for (std::size_t width = 4; width < 100; ++width) CHECK(widest_line(wide().text(width)) <= width);
    const std::string sixty = wide().text(60);
    CHECK_THAT(sixty, Catch::Contains("layer_0.at") && Catch::Contains("...") && Catch::Contains("ry_matmul") &&
                          Catch::Contains("12.3 %") && Catch::Contains("pass"));
    const std::string forty = wide().text(40);
    CHECK_THAT(forty, Catch::Contains("pass") && Catch::Contains("(too narrow for: ") && !Catch::Contains("12.3 %"));
}

TEST_CASE("names are shortened in the middle, between letters") {
    CHECK(shortened("a_long_name", 8) == "a_l...me");
    CHECK(shortened("short", 5) == "short");
    CHECK(shortened("abcdef", 2) == "..");
    CHECK(shortened("\u00e4\u00e4\u00e4\u00e4", 6).size() <= 6);
    CHECK(cut_lines("one\na longer line\n", 8) == "one\na lon...\n");
    CHECK(cut_lines("a longer line\n", std::nullopt) == "a longer line\n");
}
