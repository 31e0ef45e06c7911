#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace ttsim::impl;

TEST_CASE("an error prints its place, kind and text") {
    CHECK(std::string(Error(Fault::Input, {"a.yaml", 3, 7}, "wrong").what()) == "a.yaml:3:7: error: wrong");
    CHECK(std::string(Error(Fault::Unsupported, {"a.yaml", 3, 0}, "no").what()) == "a.yaml:3: unsupported: no");
    CHECK(std::string(Error(Fault::Hang, {}, "stuck").what()) == "hang: stuck");
    CHECK(Error(Fault::Input, {"a.yaml", 3, 7}, "wrong").message() == "wrong");
}

TEST_CASE("every kind of fault has its exit code") {
    CHECK(exit_code(Fault::Input) == 2);
    CHECK(exit_code(Fault::Hang) == 3);
    CHECK(exit_code(Fault::Unsupported) == 4);
    CHECK(exit_code(Fault::Internal) == 70);
}

TEST_CASE("diagnostics come out together, in the order of the file, the worst kind first in rank") {
    Diagnostics problems;
    CHECK_NOTHROW(problems.throw_if_any());
    problems.unsupported({"f", 9, 1}, "later");
    problems.error({"f", 2, 5}, "number {}", 1);
    problems.error({"f", 2, 3}, "before");
    try {
        problems.throw_if_any();
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK(std::string(error.what()) == "f:2:3: error: before\nf:2:5: error: number 1\nf:9:1: unsupported: later");
    }
}

TEST_CASE("only unsupported problems make an unsupported error") {
    Diagnostics problems;
    problems.unsupported({"f", 1, 1}, "x");
    try {
        problems.throw_if_any();
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Unsupported);
    }
}

TEST_CASE("a broken invariant is an internal error with its condition") {
    const int n = 3;
    CHECK_THROWS_WITH([&] { TT_CHECK(n == 4, "n is {}", n); }(),
                      Catch::Contains("internal error: n == 4 is false: n is 3"));
}

TEST_CASE("an error without a code has the code of its kind") {
    CHECK(Error(Fault::Input, {}, "wrong").code() == "invalid-input");
    CHECK(Error(Fault::Unsupported, {}, "no").code() == "unsupported");
    CHECK(Error(Fault::Internal, {}, "bug").code() == "internal");
    CHECK(Error(Fault::Input, {}, "wrong").ops().empty());
}

TEST_CASE("code, names and remedy of an error reach the caller, also through a collection") {
    const auto raise = [] {
        fail(Fault::Input, {{"f", 2, 1}, "unknown-name", {"exp", "log"}, "rename it"}, "no {}", 1);
    };
    try {
        raise();
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "f:2:1: error: no 1; rename it");
        CHECK(error.message() == "no 1; rename it");
        CHECK(error.code() == "unknown-name");
        CHECK(error.problems().front().remedy == "rename it");
        Diagnostics problems;
        problems.error({"f", 1, 1}, "first");
        problems.add(error);
        problems.add(make_problem(Fault::Input, {{"f", 3, 1}, "", {"log", "tanh"}}, "last"));
        try {
            problems.throw_if_any();
            FAIL("nothing was thrown");
        } catch (const Error& all) {
            CHECK(all.code() == "invalid-input");
            CHECK(all.problems()[1].code == "unknown-name");
            CHECK(all.ops() == std::vector<std::string>{"exp", "log", "tanh"});
        }
    }
}
