#include <catch2/catch.hpp>

#include <cstdlib>
#include <sstream>

#include "tools/common/table.hpp"
#include "tools/common/terminal.hpp"
#include "tools/ttsim/progress.hpp"

using namespace tt;
using namespace tt::cli;
using namespace std::chrono_literals;

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

/// An environment variable for the time of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        ::setenv(name, value, 1);
    }
    ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }

private:
    const char* name_;
    std::string old_;
};

}  // namespace

TEST_CASE("a table without a width is as wide as its cells") {
    CHECK_THAT(wide().text(), Catch::Contains("layer_0.attention.self.query_matmul") && Catch::Contains("verdict"));
    CHECK(wide().text(1000) == wide().text());
}

TEST_CASE("a table fits every width: names give way in the middle, then numbers from the right, the verdict last") {
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

TEST_CASE("colours come where they are asked for, or on a terminal that has not refused them") {
    set_colour(Colour::Always);
    CHECK(painted_report("  y  1  pass\nverdict: pass\n") ==
          "  y  1  \033[32mpass\033[0m\nverdict: \033[32mpass\033[0m\n");
    CHECK(painted_report("  y  MISMATCH: entry 0\n") == "  y  \033[1;31mMISMATCH: entry 0\033[0m\n");
    CHECK(painted_report("  bypass\n") == "  bypass\n");
    CHECK(painted_message("a.yaml:1:2: error: wrong") == "a.yaml:1:2: \033[1;31merror:\033[0m wrong");
    set_colour(Colour::Never);
    CHECK(painted_report("verdict: pass\n") == "verdict: pass\n");
    set_colour(Colour::Auto);
    const Variable no_color("NO_COLOR", "1");
    CHECK_FALSE(coloured(1));
    CHECK(painted_report("verdict: pass\n") == "verdict: pass\n");
}

TEST_CASE("the progress line counts inputs, and speaks of the time left once there is a pace") {
    const sim::RunProgress at{.stage = "simulating", .share = 0.25, .inputs = 16, .of = 64, .next = "computing golden"};
    CHECK(progress_line(at, 4s, 3s) ==
          "simulating  16 of 64 inputs  25 %  0:04 elapsed, 0:09 left, then computing golden");
    CHECK(progress_line(at, 100ms, 100ms) == "simulating  16 of 64 inputs  25 %  0:00 elapsed");
    CHECK(progress_line({.stage = "filling queues", .share = 0, .inputs = 0, .of = 0, .next = ""}, 3700s, 1s) ==
          "filling queues  1:01:40 elapsed");
    CHECK(progress_line({.stage = "simulating", .share = 0, .inputs = 0, .of = 8, .next = ""}, 65s, 65s) ==
          "simulating  0 of 8 inputs  0 %  1:05 elapsed");
}
