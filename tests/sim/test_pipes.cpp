// What pipes between ops cost, mechanism by mechanism.
#include <catch2/catch.hpp>

#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace tt;
using namespace tt::sim;
using namespace tt::test;

namespace {
/// A producer whose two readers take its tiles in different orders, one of them slowly, and a gather behind.
std::string forked(int inputs) {
    NetlistText n;
    const Cut made{.grid_r = 2, .m = 2, .n = 2, .rt = 2, .ct = 2}, all{.m = 4, .n = 2, .rt = 2, .ct = 2};
    n.queue({.name = "x", .cut = made, .entries = inputs});
    n.queue({.name = "y", .input = "same", .cut = made, .entries = inputs});
    n.queue({.name = "z", .input = "gathered", .cut = all, .entries = inputs});
    n.graph("g", inputs);
    n.op({.name = "first", .type = "nop", .inputs = {"x"}, .cut = made});
    n.op({.name = "same", .type = "nop", .inputs = {"first"}, .cut = made, .col = 1});
    n.op({.name = "gathered", .type = "gelu", .inputs = {"first"}, .cut = all, .col = 2, .order = "c"});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, inputs, 2 * inputs));
    return n.text();
}
}  // namespace

TEST_CASE("each mechanism of pipes takes time of its own, and none changes a value") {
    const std::string text = forked(16);
    const auto run = [&](auto&& leave_out) {
        RunOptions options;
        leave_out(options.pipes);
        const Outcome outcome = run_text(text, Mode::Full, options);
        CHECK(verdicts(outcome) == "y passes, z passes");
        return outcome.report.cycles;
    };
    const auto all = run([](PipeMechanisms&) {});
    CHECK(all > run([](PipeMechanisms& pipes) { pipes.blocks = false; }));
    // Readers that run apart may as well get into each other's way.
    CHECK(all != run([](PipeMechanisms& pipes) { pipes.lockstep = false; }));
    CHECK(all > run([](PipeMechanisms& pipes) { pipes.firmware = false; }));
    CHECK(all >= run([](PipeMechanisms& pipes) { pipes.credits = false; }));
    CHECK(all > run([](PipeMechanisms& pipes) { pipes = {false, false, false, false, true}; }));
}
