#include <catch2/catch.hpp>

#include <cstdlib>

#include "tools/common/terminal.hpp"
#include "tools/ttsim/progress.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::cli;
using namespace std::chrono_literals;

namespace {

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
