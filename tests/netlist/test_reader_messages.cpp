// Exact messages and places for netlists broken in one spot.
#include <catch2/catch.hpp>

#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl::test;

namespace {

const Message read_messages[] = {
    {"devices: {arch: [grayskull, wormhole_b0]}\n", "",
     "n.yaml:1:1: error: the netlist needs the key 'devices', such as devices: {arch: grayskull}"},
    {"arch: [grayskull", "arch: [greyskull",
     "n.yaml:1:18: error: 'arch' is 'greyskull'; it must be one of blackhole, grayskull, wormhole, wormhole_b0; did "
     "you mean 'grayskull'?"},
    {"arch:", "arhc:",
     "n.yaml:1:10: error: 'devices' needs the field 'arch'\n"
     "n.yaml:1:11: error: 'devices' has no field 'arhc'; did you mean 'arch'?"},
    {"entries: 2", "entires: 2",
     "n.yaml:3:3: error: queue 'in0' needs the field 'entries'\n"
     "n.yaml:3:35: error: queue 'in0' has no field 'entires'; did you mean 'entries'?"},
    {"entries: 2", "entries: 0", "n.yaml:3:44: error: 'entries' is 0; it must lie in 1..2147483648"},
    {"entries: 2", "entries: 1000000000000",
     "n.yaml:3:44: error: 'entries' is 1000000000000; it must lie in 1..2147483648"},
    {"entries: 2", "entries: 99999999999999999999999",
     "n.yaml:3:44: error: 'entries' is 99999999999999999999999; it must lie in 1..2147483648"},
    {"entries: 2", "entries: two", "n.yaml:3:44: error: 'entries' is 'two'; an integer is wanted"},
    {"entries: 2, ", "", "n.yaml:3:3: error: queue 'in0' needs the field 'entries'"},
    {"type: queue", "type: fifo", "n.yaml:3:28: error: 'type' is 'fifo'; it must be one of queue, ram"},
    {"grid_size: [1, 1], t: 1", "grid_size: [1], t: 1",
     "n.yaml:3:58: error: 'grid_size' is a list of 1; a list of two numbers is wanted"},
    {"grid_size: [1, 1], t: 1", "grid_size: [65, 1], t: 1",
     "n.yaml:3:59: error: 'grid_size' is 65; it must lie in 1..64"},
    {"mblock: [1, 2]", "mblock: [1048576, 1048576]",
     "n.yaml:3:3: error: queue 'in0' has more than 2147483648 tiles an entry (grid_size x t x mblock x ublock)"},
    {"df: Float16_b", "df: Float17_b",
     "n.yaml:3:108: error: 'df' is 'Float17_b', which is not a data format; did you mean 'Float16_b'?"},
    {"loc: dram, dram: [[0, 0x20000000]]", "loc: dram",
     "n.yaml:3:3: error: queue 'in0' is in dram and needs the field 'dram' with its addresses"},
    {"dram: [[0, 0x20000000]]", "dram: [[0, 0x20000000], [1, 0]]",
     "n.yaml:3:3: error: queue 'in0' has 2 addresses; grid_size 1x1 needs 1"},
    {"dram: [[0, 0x20000000]]", "dram: [0x20000000]",
     "n.yaml:3:155: error: an element of 'dram' is '0x20000000'; [channel, address] is wanted"},
    {"dram: [[0, 0x20000000]]", "dram: [[0, 0x120000000]]",
     "n.yaml:3:159: error: 'address' is 0x120000000; it must lie in 0..4294967295"},
    {"target_device: 0, loc", "target_device: [], loc",
     "n.yaml:3:134: error: 'target_device' is an empty list; it must name a chip"},
    {"target_device: 0, loc", "target_device: [1, 1], loc", "n.yaml:3:134: error: 'target_device' lists chip 1 twice"},
    {"  w: {input", "  in0: {input", "n.yaml:4:3: error: queue 'in0' is defined twice"},
    {"    target_device: 0\n", "", "n.yaml:7:3: error: graph 'g0' needs the field 'target_device'"},
    {"    input_count: 2\n", "    input_count: 0\n",
     "n.yaml:9:18: error: 'input_count' is 0; it must lie in 1..1073741824"},
    {"    input_count: 2\n", "    input_cuont: 2\n    input_count: 2\n",
     "n.yaml:9:5: error: graph 'g0' has no field 'input_cuont'; did you mean 'input_count'?"},
    {"type: exp", "type: expo", "n.yaml:10:15: error: 'type' is 'expo', which is not an op type; did you mean 'exp'?"},
    {"grid_loc: [0, 0], ", "", "n.yaml:10:5: error: op 'e' needs the field 'grid_loc'"},
    {"math_fidelity: HiFi3", "math_fidelity: HiFi5",
     "n.yaml:10:202: error: 'math_fidelity' is 'HiFi5'; it must be one of LoFi, HiFi2, HiFi2_A, HiFi2_B, HiFi3, HiFi4"},
    {"in_df: [Float16_b, Float16_b]", "in_df: [Float16_b, Float16_b, Float16]",
     "n.yaml:11:5: error: op 'sum' has 2 inputs and 3 formats in 'in_df'"},
    {"approximate_mode: true", "aproximate_mode: true",
     "n.yaml:10:284: error: op 'e': exp has no attribute 'aproximate_mode'; did you mean 'approximate_mode'?"},
    {"approximate_mode: true", "approximate_mode: maybe",
     "n.yaml:10:302: error: 'approximate_mode' is 'maybe'; true or false is wanted"},
    {"attributes: {approximate_mode: true}", "attributes: {}",
     "n.yaml:10:283: error: 'attributes' of op 'e' is empty; leave the key out"},
    {"attributes: {approximate_mode: true}", "attributes: {kernel_broadcast: {input_0: 1}, single_tile: [0]}",
     "n.yaml:10:329: error: input 0 has a kernel broadcast already"},
    {"attributes: {approximate_mode: true}", "attributes: {vector: x}",
     "n.yaml:10:292: error: 'vector' is 'x'; it must be one of r, c, rc; did you mean 'r'?"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [broadcast: {q: 1}]",
     "n.yaml:11:311: error: 'broadcast' is 'q'; it must be one of r, c, z; did you mean 'r'?"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [broadcast: {r: 1, c: 1}]",
     "n.yaml:11:310: error: 'broadcast' is a map of 2; a map with one of r, c, z is wanted, such as {r: 4}"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [hslise: 2]",
     "n.yaml:11:299: error: 'hslise' is not a TM; did you mean 'hslice'?"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [transposed]",
     "n.yaml:11:299: error: 'transposed' is not a TM; only transpose has no argument; did you mean "
     "'transpose'?"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: transpose",
     "n.yaml:11:298: error: 'input_1_tms' is 'transpose'; a list of TMs is wanted, such as [transpose, hslice: 4]"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [tile_broadcast: r]",
     "n.yaml:11:299: error: 'tile_broadcast' is for sub-ops of fused ops only"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_2_tms: [transpose]",
     "n.yaml:11:285: error: op 'sum' has 2 inputs and no input 2"},
    {"untilize_output: false", "untilize_ouput: false",
     "n.yaml:10:209: error: op 'e' has no field 'untilize_ouput'; did you mean 'untilize_output'?"},
    {"- staticvar", "- staticvra",
     "n.yaml:14:9: error: program 'p0' has an unknown instruction 'staticvra'; did you mean 'staticvar'?"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [$gptr, incwrap, 2]",
     "n.yaml:16:18: error: 'varinst' incwrap takes 2 operands, not 1"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [$gptr, incr, 2]",
     "n.yaml:16:26: error: 'varinst' is 'incr'; it must be one of set, add, mul, inc, incwrap; did you mean 'inc'?"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [gptr, set, 2]",
     "n.yaml:16:19: error: 'varinst' names 'gptr'; a variable begins with $"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- loop: 0",
     "n.yaml:16:15: error: 'loop' runs 0 times; it must run at least once"},
    {"prologue: false", "prolog: false",
     "n.yaml:15:58: error: the entry of queue 'in0' in queue_settings has no field 'prolog'; did you mean 'prologue'?"},
    {"prologue: false", "prologue: perhaps",
     "n.yaml:15:68: error: 'prologue' is 'perhaps'; true, false or a $variable is wanted"},
    {"graph_name: g0, ", "", "n.yaml:15:9: error: 'execute' needs the field 'graph_name'"},
};

}  // namespace

TEST_CASE("the error for an unreadable netlist states the problem, the place and the correct form") {
    for (const Message& message : read_messages) {
        INFO(message.from << " -> " << message.to);
        CHECK(complaints(with(small_netlist, message.from, message.to), "wormhole_b0") == message.text);
    }
}

TEST_CASE("queues stand before the graphs that name them") {
    const std::size_t queues = small_netlist.find("queues:"), graphs = small_netlist.find("graphs:"),
                      programs = small_netlist.find("programs:");
    const std::string swapped = small_netlist.substr(0, queues) + small_netlist.substr(graphs, programs - graphs) +
                                small_netlist.substr(queues, graphs - queues) + small_netlist.substr(programs);
    CHECK(complaints(swapped) == "n.yaml:8:1: error: 'queues' must come before 'graphs', whose ops use them");
}

TEST_CASE("all problems of a file are reported together") {
    std::string text = with(small_netlist, "entries: 2", "entries: none");
    text = with(text, "type: exp", "type: expp");
    text = with(text, "- staticvar", "- staticva");
    CHECK(complaints(text) ==
          "n.yaml:3:44: error: 'entries' is 'none'; an integer is wanted\n"
          "n.yaml:10:15: error: 'type' is 'expp', which is not an op type; did you mean 'exp'?\n"
          "n.yaml:14:9: error: program 'p0' has an unknown instruction 'staticva'; did you mean 'staticvar'?");
}
