// What operands read of queues in DRAM.
#include <catch2/catch.hpp>

#include "isa/arch.hpp"
#include "isa/pipe_constants.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;
using namespace ttsim::impl::test;

namespace {

/// Rows of a table of `tiles` x 4 tiles, 64 of them in each input.
std::string lookup(int tiles) {
    NetlistText n;
    const Cut rows{.m = 2, .ct = 4};
    n.queue({.name = "table", .cut = {.m = tiles, .ct = 4}, .entries = 1, .ram = true, .more = "layout: flat"});
    n.queue({.name = "indices", .entries = 4, .df = "RawUInt32"});
    n.queue({.name = "y", .input = "found", .cut = rows, .entries = 4});
    n.graph("g", 4);
    n.op({.name = "found",
          .type = "embedding",
          .inputs = {"table", "indices"},
          .cut = rows,
          .more = "attributes: {num_indices: 64}",
          .untilize = true,
          .in_df = {"Float16_b", "RawUInt32"}});
    n.program("p", looped(1, {execute("g", {ram("table"), fifo("indices")})}, 4, 8));
    return n.text();
}

/// A tilizer with `pairs` pairs of micro-blocks in each of its inputs. Its operand's buffer holds one micro-block
/// twice.
std::string tilized(int pairs) {
    NetlistText n("grayskull");
    const Cut cut{.m = 2 * pairs, .n = 2, .ct = 8};
    n.queue({.name = "rows", .cut = cut, .entries = 4, .more = "layout: flat"});
    n.queue({.name = "y", .input = "tiles", .cut = cut, .entries = 4});
    n.graph("g", 4);
    n.op({.name = "tiles", .type = "tilizer", .inputs = {"rows"}, .cut = cut});
    n.program("p", looped(1, {execute("g", {fifo("rows")})}, 4, 8));
    return n.text();
}

/// A copy of single tiles, one in each input, from a queue or from a ram with as many slots.
std::string copied(bool from_ram) {
    NetlistText n;
    n.queue({.name = "x", .entries = 16, .ram = from_ram});
    n.queue({.name = "y", .input = "copy", .entries = 16});
    n.graph("g", 16);
    n.op({.name = "copy", .type = "nop", .inputs = {"x"}});
    n.program("p", looped(1, {execute("g", {from_ram ? ram("x") : fifo("x")})}, 16, 32));
    return n.text();
}

double cycles(const std::string& text) {
    const Outcome outcome = run_text(text, Mode::Timing);
    REQUIRE(outcome.error == "");
    return static_cast<double>(outcome.report.cycles);
}

}  // namespace

TEST_CASE("an embedding reads the rows that it was asked for, however large its table is") {
    CHECK(cycles(lookup(16)) < 1.05 * cycles(lookup(2)));
}

TEST_CASE("a tilizer requests the rows of a second micro-block while the first ones arrive") {
    // A pair takes two reads and one arrival with its unpacking. Without the second request it would take two of both.
    const ChipParams& chip = ttsim::impl::chip("grayskull");
    const PipeConstants& t = pipe_constants(chip.files.noc);
    const double read = t.read_iteration + 32 * t.row_read;
    const double pair = (cycles(tilized(3)) - cycles(tilized(1))) / (4 * 2 * 2);  // inputs, pairs, columns
    CHECK(pair > 2 * read);
    const double arrival = pair - 2 * read;
    CHECK(arrival > 500);
    CHECK(arrival < 3500);
}

TEST_CASE("each entry of a queue takes the time of its pointer, a slot of a ram does not") {
    const PipeConstants& t = pipe_constants(ttsim::impl::chip("wormhole_b0").files.noc);
    const double more = cycles(copied(false)) - cycles(copied(true));
    CHECK(more == Approx(15 * t.read_entry).margin(1.5 * t.read_entry));
}
