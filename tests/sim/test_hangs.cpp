#include <catch2/catch.hpp>

#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

TEST_CASE("a fork whose short branch has no buffer hangs, and the chain goes round through the ops concerned") {
    const std::string text = fork_and_join(2);
    CHECK(verdicts(run_text(text, sim::Mode::Functional)) == "y passes");  // unbounded buffers
    for (const sim::Mode mode : {sim::Mode::Full, sim::Mode::Timing})
        for (const unsigned threads : {1U, 2U}) {
            sim::RunOptions options;
            options.threads = threads;
            const Outcome run = run_text(text, mode, options);
            CHECK(run.exit_code == 3);
            CHECK_THAT(run.error, Catch::Contains("nothing can move at cycle"));
            CHECK_THAT(run.error, Catch::Contains("op 'fork' on chip 0 core 1-1 (input 0"));
            CHECK_THAT(run.error, Catch::Contains("waits for room in its output buffer of 32 tiles"));
            CHECK_THAT(run.error,
                       Catch::Contains("waits for room in the operand buffer of op 'join' on chip 0 core 3-1"));
            CHECK_THAT(
                run.error,
                Catch::Contains("op 'join' on chip 0 core 3-1 (input 0, slice 0) waits for operand 1 from op 'slow'"));
            CHECK_THAT(run.error, Catch::Contains("waits for operand 0 from op 'fork'"));
            CHECK_THAT(run.error, Catch::Contains("... cycle closes at:"));
            CHECK(run.outputs.empty());
        }
}

namespace {
/// The remedy of a hang as a number: what follows `from N to `, and behind `what`.
int remedy_size(const std::string& error, const std::string& what) {
    const std::size_t at = error.find("it runs with " + what);
    if (at == std::string::npos) return 0;
    const std::size_t to = error.find(" to ", at);
    return std::stoi(error.substr(to + 4));
}
}  // namespace

TEST_CASE("a hang names the buffer that was too small, and the size it names makes the netlist run") {
    const Outcome hang = run_text(fork_and_join(2), sim::Mode::Full);
    const int size = remedy_size(hang.error, "'buf_size_mb' of op 'fork' from 2");
    INFO(hang.error);
    REQUIRE(size > 2);
    CHECK(verdicts(run_text(fork_and_join(size), sim::Mode::Full)) == "y passes");
}

TEST_CASE("a hang names the queue that was too small, and its new size and place make the netlist run") {
    const auto text = [](int entries) {
        NetlistText n = two_graphs(4, entries);
        n.program("p", looped(1, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 4, 8));
        return n.text();
    };
    const Outcome hang = run_text(text(2), sim::Mode::Full);
    INFO(hang.error);
    const int entries = remedy_size(hang.error, "'entries' of queue 'mid' from 2");
    REQUIRE(entries > 2);
    CHECK(verdicts(run_text(text(entries), sim::Mode::Full)) == "y passes");
}

TEST_CASE("a hang that no buffer explains has no remedy") {
    NetlistText n = two_graphs(2, 2);
    n.program("p", looped(1, {execute("h", {fifo("mid")})}, 2, 4));
    const Outcome full = run_text(n.text(), sim::Mode::Full);
    CHECK_THAT(full.error, !Catch::Contains("it runs with"));
}

TEST_CASE("the same fork runs when its buffer is large enough for the long branch") {
    const Outcome full = run_text(fork_and_join(16), sim::Mode::Full);
    CHECK(verdicts(full) == "y passes");
}

TEST_CASE("a queue of too few entries between two graphs hangs and is named") {
    NetlistText n = two_graphs(4, 2);
    n.program("p", looped(1, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 4, 8));
    CHECK(verdicts(run_text(n.text(), sim::Mode::Functional)) == "y passes");
    const Outcome run = run_text(n.text(), sim::Mode::Timing);
    CHECK(run.exit_code == 3);
    CHECK_THAT(run.error, Catch::Contains("the writer from op 'first' on chip 0 core 1-1 to queue 'mid' (input 2)"));
    CHECK_THAT(run.error, Catch::Contains("all 2 entries are full"));
}

TEST_CASE("reading an entry that is never written is refused or hangs at that entry, without invented data") {
    NetlistText n = two_graphs(2, 2);
    n.program("p", looped(1, {execute("h", {fifo("mid")})}, 2, 4));
    const Outcome functional = run_text(n.text(), sim::Mode::Functional);
    CHECK(functional.exit_code == 2);
    CHECK_THAT(functional.error, Catch::Contains("queue 'mid' is read at slot 0 (entry 0), which nothing has written"));
    const Outcome full = run_text(n.text(), sim::Mode::Full);
    CHECK((full.exit_code == 2 || full.exit_code == 3));
    CHECK_THAT(full.error, Catch::Contains("mid"));
}
