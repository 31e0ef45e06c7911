#include <catch2/catch.hpp>

#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace tt;
using namespace tt::test;

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
            CHECK_THAT(run.error, Catch::Contains("... and so round:"));
            CHECK(run.outputs.empty());
        }
}

TEST_CASE("the same fork runs when its buffer holds what the long branch needs") {
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

TEST_CASE("reading an entry that nothing writes is refused or hangs at that entry, never invented") {
    NetlistText n = two_graphs(2, 2);
    n.program("p", looped(1, {execute("h", {fifo("mid")})}, 2, 4));
    const Outcome functional = run_text(n.text(), sim::Mode::Functional);
    CHECK(functional.exit_code == 2);
    CHECK_THAT(functional.error, Catch::Contains("queue 'mid' is read at slot 0 (entry 0), which nothing has written"));
    const Outcome full = run_text(n.text(), sim::Mode::Full);
    CHECK((full.exit_code == 2 || full.exit_code == 3));
    CHECK_THAT(full.error, Catch::Contains("mid"));
}
