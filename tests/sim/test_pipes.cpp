// What pipes between ops cost, mechanism by mechanism.
#include <catch2/catch.hpp>

#include "analysis/trace/analysis.hpp"
#include "isa/arch.hpp"
#include "sim/noc/constants.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;
using namespace ttsim::impl::test;

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

const Cut square{.m = 2, .n = 2, .rt = 2, .ct = 2};

/// A join that takes a fork's tiles at once and by way of two copies, each of which takes whole blocks.
std::string fork_joined_behind_blocks(int inputs) {
    NetlistText n;
    n.queue({.name = "x", .cut = square, .entries = inputs});
    n.queue({.name = "y", .input = "join", .cut = square, .entries = inputs});
    n.graph("g", inputs);
    n.op({.name = "fork", .type = "nop", .inputs = {"x"}, .cut = square});
    n.op({.name = "one", .type = "nop", .inputs = {"fork"}, .cut = square, .col = 1, .order = "c"});
    n.op({.name = "two", .type = "nop", .inputs = {"one"}, .cut = square, .col = 2});
    n.op({.name = "join", .type = "add", .inputs = {"fork", "two"}, .cut = square, .col = 3, .order = "c"});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, inputs, 2 * inputs));
    return n.text();
}

/// A producer that holds its operand, and readers that take its tiles as they are packed.
std::string in_order(int inputs, int readers) {
    NetlistText n;
    n.queue({.name = "x", .cut = square, .entries = 1, .ram = true});
    n.graph("g", inputs);
    n.op({.name = "first", .type = "nop", .inputs = {"x"}, .cut = square});
    for (int r = 0; r < readers; ++r)
        n.op({.name = fmt::format("reader{}", r), .type = "nop", .inputs = {"first"}, .cut = square, .col = 1 + r});
    n.program("p", {execute("g", {ram("x", true)})});
    return n.text();
}

/// Two cores whose tiles are gathered, slice by slice; readers of several slices stack them.
std::string gathered(const Cut& made, const Cut& reader, int inputs) {
    NetlistText n;
    n.queue({.name = "x", .cut = {}, .entries = 1, .ram = true});
    n.graph("g", inputs);
    n.op({.name = "first",
          .type = "nop",
          .inputs = {"x"},
          .cut = made,
          .more = fmt::format("input_0_tms: [broadcast: {{r: {}}}, broadcast: {{c: 2}}, broadcast: {{z: {}}}], "
                              "attributes: {{kernel_broadcast: {{input_0: 1}}}}",
                              made.rows(), made.t)});
    n.op({.name = "reader",
          .type = "nop",
          .inputs = {"first"},
          .cut = reader,
          .col = 1,
          .more = made.t > 1 ? fmt::format("input_0_tms: [vstack: {}]", made.t) : ""});
    n.program("p", {execute("g", {ram("x", true)})});
    return n.text();
}

/// Clocks of a run in timing mode.
template <class LeaveOut>
std::int64_t clocks(const std::string& text, LeaveOut&& leave_out) {
    RunOptions options;
    leave_out(options.pipes);
    const Outcome outcome = run_text(text, Mode::Timing, options);
    REQUIRE(outcome.error == "");
    return static_cast<std::int64_t>(outcome.report.cycles);
}
}  // namespace

TEST_CASE("each mechanism of pipes takes its own time, and none changes a value") {
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
    CHECK(all > run([](PipeMechanisms& pipes) { pipes.firmware = false; }));
    CHECK(all >
          run([](PipeMechanisms& pipes) { pipes.blocks = pipes.lockstep = pipes.firmware = pipes.credits = false; }));
}

TEST_CASE("a fork that waits for the other's way round holds up the next block of both") {
    const std::string text = fork_joined_behind_blocks(32);
    const auto all = clocks(text, [](PipeMechanisms&) {});
    const auto apart = clocks(text, [](PipeMechanisms& pipes) { pipes.lockstep = false; });
    CHECK(all > apart + apart / 10);
}

TEST_CASE("a small buffer far from its sender is filled only as fast as credits come back") {
    const std::string text = in_order(64, 1);
    const auto told_late = clocks(text, [](PipeMechanisms& pipes) { pipes.kernels = false; });
    const auto told_at_once = clocks(text, [](PipeMechanisms& pipes) { pipes.kernels = pipes.credits = false; });
    CHECK(told_late > told_at_once + told_at_once / 10);
}

TEST_CASE("a prologue operand that its buffer does not hold is sent from L1 for every input") {
    const auto clocks_of = [](int columns, int inputs) {
        NetlistText n;
        const Cut wide{.m = 2, .n = columns, .rt = 2, .ct = 4};
        n.queue({.name = "x", .cut = wide, .entries = 1, .ram = true});
        n.graph("g", inputs);
        n.op({.name = "copy", .type = "nop", .inputs = {"x"}, .cut = wide});
        n.program("p", {execute("g", {ram("x", true)})});
        return clocks(n.text(), [](PipeMechanisms& pipes) { pipes.kernels = pipes.credits = false; });
    };
    const auto per_input = [&](int columns) {
        return static_cast<double>(clocks_of(columns, 96) - clocks_of(columns, 32)) / 64;
    };
    const PipeConstants& pipes = noc::constants(chip("wormhole_b0")).pipes;
    CHECK(per_input(1) < 2 * 2 * 2);  // 16 tiles stay in the buffer: a clock a step
    // 64 tiles: a block with one phase, and their bytes
    const double block = pipes.block + pipes.block_fork + pipes.phase;
    CHECK(per_input(4) == Approx(block + 64 * 2080 / pipes.stream_bytes).epsilon(0.05));
}

namespace {

/// A product whose first factor goes to a row of cores.
std::string multicast_product(int columns, int inputs) {
    NetlistText n;
    const Cut left{.m = 8, .n = 8}, right{.m = 8, .n = columns}, out{.grid_c = columns, .m = 8};
    n.queue({.name = "x", .cut = {}, .entries = 1, .ram = true});
    n.queue({.name = "w", .cut = right, .entries = 1, .ram = true});
    n.graph("g", inputs);
    n.op({.name = "first",
          .type = "nop",
          .inputs = {"x"},
          .cut = left,
          .more = "input_0_tms: [broadcast: {r: 8}, broadcast: {c: 8}], attributes: {kernel_broadcast: {input_0: 1}}",
          .order = "c"});
    n.op({.name = "product",
          .type = "matmul",
          .inputs = {"first", "w"},
          .cut = out,
          .col = 1,
          .more = "attributes: {m_k: 8, u_kt: 1}"});
    n.program("p", {execute("g", {ram("x", true), ram("w", true)})});
    return n.text();
}

}  // namespace

TEST_CASE("multicasts without relays, and pipes without a choice of NoC, take other routes") {
    const auto routed = [](const std::string& text, auto&& leave_out) {
        return clocks(text, [&](PipeMechanisms& pipes) {
            pipes.kernels = pipes.firmware = false;
            leave_out(pipes);
        });
    };
    const auto all = [](PipeMechanisms&) {};
    // The tiles go from the first core to the second, which passes them on to the third; without relays to both.
    const std::string product = multicast_product(2, 32);
    CHECK(routed(product, all) != routed(product, [](PipeMechanisms& pipes) { pipes.relays = false; }));
    // The first operand of the sum comes by NoC 0, the second by NoC 1; without the choice both share the links.
    NetlistText n;
    const Cut wide{.grid_r = 2, .grid_c = 2, .m = 4, .n = 4};
    n.queue({.name = "x", .cut = {}, .entries = 1, .ram = true});
    n.graph("g", 32);
    for (const char* name : {"a", "b"})
        n.op({.name = name,
              .type = "nop",
              .inputs = {"x"},
              .cut = wide,
              .col = name[0] == 'a' ? 0 : 2,
              .more =
                  "input_0_tms: [broadcast: {r: 8}, broadcast: {c: 8}], attributes: {kernel_broadcast: {input_0: 1}}"});
    n.op({.name = "sum", .type = "add", .inputs = {"a", "b"}, .cut = wide, .col = 4});
    n.program("p", {execute("g", {ram("x", true)})});
    CHECK(routed(n.text(), all) < routed(n.text(), [](PipeMechanisms& pipes) { pipes.nocs = false; }));
}

TEST_CASE("to several cores at once another stream sends, slower") {
    const auto clocks_of = [](int columns, int inputs) {
        return clocks(multicast_product(columns, inputs),
                      [](PipeMechanisms& pipes) { pipes.kernels = pipes.credits = false; });
    };
    const auto per_tile = [&](int columns) {
        return static_cast<double>(clocks_of(columns, 96) - clocks_of(columns, 32)) / (64 * 64);
    };
    const PipeConstants& pipes = noc::constants(chip("wormhole_b0")).pipes;
    CHECK(per_tile(1) == Approx(2080 / pipes.stream_bytes).epsilon(0.05));
    CHECK(per_tile(2) == Approx(2080 / pipes.multicast_bytes).epsilon(0.05));
}

TEST_CASE("the forks of a core send one after the other") {
    const auto alone = [](PipeMechanisms& pipes) { pipes.kernels = pipes.credits = false; };
    const auto more = [&](int readers) {  // clocks of 64 inputs more, so that loading does not count
        return clocks(in_order(128, readers), alone) - clocks(in_order(64, readers), alone);
    };
    const double one = static_cast<double>(more(1));
    CHECK(static_cast<double>(more(2)) == Approx(2 * one).epsilon(0.05));
    CHECK(static_cast<double>(more(3)) == Approx(3 * one).epsilon(0.05));
}

TEST_CASE("phases of one source pass one relay, and readers of a stack share one gather") {
    const PipeConstants& pipes = noc::constants(chip("wormhole_b0")).pipes;
    const auto per_input = [](const Cut& made, const Cut& reader) {
        const auto of = [&](int inputs) {
            return clocks(gathered(made, reader, inputs),
                          [](PipeMechanisms& left) { left.kernels = left.credits = false; });
        };
        return static_cast<double>(of(96) - of(32)) / 64;
    };
    const double tile = 2080 / pipes.stream_bytes + pipes.gather_tile;
    const auto block = [&](double tiles) { return pipes.gather_block + tiles * tile; };
    // 32 tiles of each source: one phase, and a phase for each tile. The other source hides the phases of the first 8.
    const Cut tall{.grid_r = 2, .m = 4, .rt = 4, .ct = 2};
    CHECK(per_input(tall, {.m = 8, .rt = 4, .ct = 2}) == Approx(block(64)).epsilon(0.05));
    CHECK(per_input(tall, {.m = 8, .n = 2, .rt = 4, .ct = 1}) == Approx(block(64) + 48 * pipes.phase).epsilon(0.05));
    // four slices, two for each of two readers
    const Cut slices{.grid_r = 2, .rt = 4, .ct = 2, .t = 4};
    CHECK(per_input(slices, {.grid_r = 2, .m = 4, .rt = 4, .ct = 2}) == Approx(4 * block(16)).epsilon(0.05));
}

TEST_CASE("a trace says which readers waited for blocks and for other forks") {
    RunOptions options;
    options.trace.file = (temp_folder() / "forked.ttperf").string();
    REQUIRE(run_text(forked(16), Mode::Timing, options).error == "");
    trace::Reader reader(options.trace.file);
    const std::vector<trace::OutputStreamingWait> waits = trace::output_streaming_waits(reader, 0);
    REQUIRE(waits.size() == 2);
    for (const trace::OutputStreamingWait& wait : waits) {
        CHECK(wait.source == "first");
        CHECK(wait.block_cycles + wait.lockstep_cycles > 0);
    }
    // The slow reader holds up the other one.
    const auto of = [&](const char* name) { return waits[waits[0].reader == name ? 0 : 1].lockstep_cycles; };
    CHECK(of("same") > of("gathered"));
}
