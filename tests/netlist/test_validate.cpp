#include <catch2/catch.hpp>

#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl;
using test::complaints;

namespace {

std::string queue(const std::string& name, const std::string& input, const std::string& more, int chip = 0) {
    return "  " + name + ": {input: " + input +
           ", entries: 2, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], " +
           "target_device: " + std::to_string(chip) + ", loc: dram, dram: [[0, 0x1000]], " + more + "}\n";
}
std::string op(const std::string& name, const std::string& type, const std::string& inputs, const std::string& in_df,
               const std::string& more) {
    return "    " + name + ": {type: " + type + ", grid_size: [1, 1], inputs: [" + inputs + "], in_df: [" + in_df +
           "], acc_df: Float16_b, intermed_df: Float16_b, math_fidelity: HiFi3, t: 1, mblock: [1, 1], ublock: [1, "
           "1], " +
           more + "}\n";
}
std::string graph(const std::string& name, int chip, int inputs = 1) {
    return "  " + name + ":\n    target_device: " + std::to_string(chip) +
           "\n    input_count: " + std::to_string(inputs) + "\n";
}
const std::string head = "devices: {arch: wormhole_b0}\nqueues:\n";
const std::string bf16 = "type: queue, df: Float16_b";
const std::string out_bf16 = "out_df: Float16_b";

/// a on chip 0 -> ethernet_datacopy -> nop on chip 1 -> o.
std::string ethernet(const std::string& attributes, const std::string& grid = "[1, 1]") {
    std::string copy = op("copy", "ethernet_datacopy", "a", "Float16_b", out_bf16 + ", attributes: " + attributes);
    copy = test::with(copy, "grid_size: [1, 1]", "grid_size: " + grid);
    return head + queue("a", "HOST", bf16) + queue("o", "n", bf16, 1) + "graphs:\n" + graph("g0", 0) + copy +
           graph("g1", 1) + op("n", "nop", "copy", "Float16_b", out_bf16 + ", grid_loc: [0, 0]");
}

}  // namespace

TEST_CASE("an ethernet_datacopy takes data to another chip over channels the chip has") {
    CHECK(complaints(ethernet("{dest_device: 1, ingress_channels: [0], egress_channels: [15]}"), "wormhole_b0", 2)
              .empty());
    CHECK(complaints(ethernet("{dest_device: 0}"), "wormhole_b0", 2) ==
          "n.yaml:9:5: error: op 'copy' copies to chip 0, its own chip; dest_device must be another chip");
    CHECK(complaints(ethernet("{dest_device: 5}"), "wormhole_b0", 2) ==
          "n.yaml:9:5: error: the destination of op 'copy' is on chip 5; the machine has chips 0..1");
    CHECK(complaints(ethernet("{dest_device: 2}"), "wormhole_b0", 3) ==
          "n.yaml:13:5: error: op 'n' on chip 1 reads 'copy', which delivers on chip 2 (dest_device)");
    CHECK(complaints(test::with(ethernet("{dest_device: 1}"), "input: n,", "input: copy,"), "wormhole_b0", 2).empty());
    CHECK(complaints(ethernet("{dest_device: 1, ingress_channels: [0, 1]}"), "wormhole_b0", 2) ==
          "n.yaml:9:5: error: op 'copy' has 2 ingress_channels for a grid of 1");
    CHECK(complaints(ethernet("{dest_device: 1, egress_channels: [16]}"), "wormhole_b0", 2) ==
          "n.yaml:9:5: error: egress_channels of op 'copy' name channel 16; the chip has 16 Ethernet channels");
    CHECK(complaints(ethernet("{dest_device: 1}"), "grayskull", 2) ==
          "n.yaml:9:5: error: 'copy' is an ethernet_datacopy, but this chip has no Ethernet; pass the tensor through a "
          "queue");
}

TEST_CASE("ops of two graphs stream into each other on different chips with equal input counts only") {
    const auto two = [](int chip, int inputs) {
        return head + queue("a", "HOST", bf16) + queue("o", "n1", bf16, chip) + "graphs:\n" + graph("g0", 0) +
               op("n0", "nop", "a", "Float16_b", out_bf16 + ", grid_loc: [0, 0]") + graph("g1", chip, inputs) +
               op("n1", "nop", "n0", "Float16_b", out_bf16 + ", grid_loc: [1, 0]");
    };
    CHECK(complaints(two(1, 1), "wormhole_b0", 2).empty());
    CHECK(complaints(two(1, 4), "wormhole_b0", 2) ==
          "n.yaml:13:5: error: op 'n1' streams from graph 'g0' with input_count 1 to graph 'g1' with 4; they run "
          "together "
          "and must be equal");
    CHECK(
        complaints(two(0, 1), "wormhole_b0", 2) ==
        "n.yaml:13:5: error: input 0 of op 'n1' is op 'n0' of graph 'g0' on the same chip; between graphs of one chip "
        "data passes through a queue");
}

TEST_CASE("only the right operand of a matmul can be transposed") {
    const auto matmul = [](const std::string& tms) {
        const std::string b = test::with(queue("b", "HOST", bf16), "0x1000", "0x9000");
        return head + queue("a", "HOST", bf16) + b + queue("o", "m", bf16) + "graphs:\n" + graph("g0", 0) +
               op("m", "matmul", "a, b", "Float16_b, Float16_b",
                  out_bf16 + ", grid_loc: [0, 0], attributes: {m_k: 1, u_kt: 1}, " + tms);
    };
    CHECK(complaints(matmul("input_1_tms: [transpose]")).empty());
    CHECK(complaints(matmul("input_0_tms: [transpose]")).find("input 0 of matmul 'm' cannot be transposed") !=
          std::string::npos);
    CHECK(complaints(matmul("input_0_tms: [transpose, transpose]")).empty());
}

TEST_CASE("an untilized output feeds exactly one queue with one buffer") {
    const auto untilized = [](const std::string& grid, bool second) {
        std::string o = test::with(queue("o", "n", bf16), "grid_size: [1, 1]", "grid_size: " + grid);
        if (grid == "[1, 2]") o = test::with(o, "dram: [[0, 0x1000]]", "dram: [[0, 0x1000], [1, 0]]");
        std::string n = op("n", "nop", "a", "Float16_b", out_bf16 + ", grid_loc: [0, 0], untilize_output: true");
        if (grid == "[1, 2]") n = test::with(n, "mblock: [1, 1]", "mblock: [1, 2]");
        std::string a = queue("a", "HOST", bf16);
        if (grid == "[1, 2]") a = test::with(a, "mblock: [1, 1]", "mblock: [1, 2]");
        return head + a + o + (second ? queue("p", "n", bf16) : "") + "graphs:\n" + graph("g0", 0) + n;
    };
    CHECK(complaints(untilized("[1, 1]", false)).empty());
    CHECK(complaints(untilized("[1, 1]", true)).find("feeds 2 queues; it must feed exactly one") != std::string::npos);
    CHECK(complaints(untilized("[1, 2]", false)) ==
          "n.yaml:4:3: error: queue 'o' takes untilized output and has grid_size 1x2; it must be 1x1");
}

TEST_CASE("an alias views the memory of a ram with the same tiles in all") {
    const auto alias = [](int entries, int t) {
        std::string view = test::with(queue("v", "HOST", "type: ram, df: Float16_b, alias: base"), "entries: 2",
                                      "entries: " + std::to_string(entries));
        view = test::with(view, "t: 1", "t: " + std::to_string(t));
        return head + test::with(queue("base", "HOST", "type: ram, df: Float16_b"), "entries: 2", "entries: 4") + view;
    };
    CHECK(complaints(alias(2, 2)).empty());
    CHECK(complaints(alias(4, 1)).empty());
    CHECK(complaints(alias(3, 1)) == "n.yaml:4:3: error: queue 'v' has 3 entries, which do not divide the 4 of 'base'");
    CHECK(complaints(alias(2, 1)) ==
          "n.yaml:4:3: error: queue 'v' and 'base' must have the same number of tiles in all");
}

TEST_CASE("the placement of a transposed grid swaps its rows and columns") {
    const auto placed = [](const std::string& more) {
        std::string n = op("n", "nop", "a", "Float16_b", out_bf16 + ", " + more);
        n = test::with(n, "grid_size: [1, 1]", "grid_size: [1, 8]");
        const std::string wide = test::with(queue("a", "HOST", bf16), "mblock: [1, 1]", "mblock: [1, 8]");
        return head + wide + "graphs:\n" + graph("g0", 0) + n;
    };
    CHECK(complaints(placed("grid_loc: [0, 0]")).empty());
    CHECK(complaints(placed("grid_loc: [2, 7], grid_transpose: true")).empty());
    CHECK(complaints(placed("grid_loc: [3, 7], grid_transpose: true")) ==
          "n.yaml:8:5: error: op 'n' uses cores [3, 7] to [10, 7]; the grid has 10 rows and 8 columns");
}

TEST_CASE("buffers that just fit a DRAM channel are accepted, one byte more is not") {
    // 32 bytes of header, 2 entries of one tile of 2048 + 16 bytes rounded up to 2080.
    const std::int64_t bytes = 32 + 2 * 2080;
    const auto at = [](std::int64_t address) {
        return head + test::with(queue("a", "HOST", bf16), "0x1000", std::to_string(address));
    };
    const std::int64_t channel = std::int64_t{2} << 30;
    CHECK(complaints(at(channel - bytes)).empty());
    CHECK(complaints(at(channel - bytes + 1)).find("a DRAM channel ends at 0x80000000") != std::string::npos);
}

TEST_CASE("graphs that read one queue take the same number of inputs") {
    const auto two = [](int inputs) {
        return head + queue("a", "HOST", bf16) + "graphs:\n" + graph("g0", 0) +
               op("n0", "nop", "a", "Float16_b", out_bf16 + ", grid_loc: [0, 0]") + graph("g1", 0, inputs) +
               op("n1", "nop", "a", "Float16_b", out_bf16 + ", grid_loc: [0, 0]");
    };
    CHECK(complaints(two(1)).empty());
    CHECK(
        complaints(two(2)) ==
        "n.yaml:3:3: error: queue 'a' is read by graph 'g0' with input_count 1 and by graph 'g1' with 2; they must be "
        "equal");
}

TEST_CASE("a kernel broadcast holds every tile that a core reads") {
    const auto add = [](const std::string& shape, const std::string& tms, const std::string& attributes) {
        const std::string size = "t: 1, mblock: [1, 1]";
        const std::string b = test::with(test::with(queue("b", "HOST", bf16), "0x1000", "0x9000"), size, shape);
        const std::string wide = "t: 2, mblock: [1, 3]";
        const std::string o =
            op("o", "add", "a, b", "Float16_b, Float16_b",
               out_bf16 + ", grid_loc: [0, 0], input_1_tms: [" + tms + "], attributes: {" + attributes + "}");
        return complaints(head + test::with(queue("a", "HOST", bf16), size, wide) + b + "graphs:\n" + graph("g", 0) +
                          test::with(o, size, wide));
    };
    const std::string columns = "broadcast: {c: 3}", slices = "broadcast: {z: 2}";
    CHECK(add("t: 1, mblock: [1, 1]", columns + ", " + slices, "kernel_broadcast: {input_1: 1}").empty());
    CHECK(add("t: 2, mblock: [1, 1]", columns, "kernel_broadcast_per_t: {input_1: 1}").empty());
    CHECK(add("t: 1, mblock: [1, 3]", slices, "kernel_broadcast: {input_1: 3}").empty());
    CHECK(
        add("t: 2, mblock: [1, 1]", columns, "kernel_broadcast: {input_1: 1}") ==
        "n.yaml:9:5: error: kernel_broadcast of 'o' holds 1 tiles of input 1, but a core needs more distinct tiles; it "
        "would read wrong tiles");
    CHECK(add("t: 2, mblock: [1, 3]", "", "kernel_broadcast_per_t: {input_1: 2}") ==
          "n.yaml:9:5: error: kernel_broadcast_per_t of 'o' holds 2 tiles of input 1, but a core needs more distinct "
          "tiles for a slice; it would read wrong tiles");
}

TEST_CASE("a kernel broadcast of a splice holds new tiles for each slice of its operand") {
    const auto splice = [](const std::string& slices, const std::string& attributes, const std::string& broadcast) {
        const std::string one = "t: 1, mblock: [1, 1]";
        const std::string a = test::with(queue("a", "HOST", bf16), one, "t: " + slices + ", mblock: [1, 1]");
        const std::string o = op("o", "splice", "a, b", "Float16_b, Float16_b",
                                 out_bf16 + ", grid_loc: [0, 0], input_0_tms: [broadcast: {c: 3}], attributes: {" +
                                     attributes + ", " + broadcast + "}");
        const std::string b = test::with(test::with(queue("b", "HOST", bf16), "0x1000", "0x9000"), one,
                                         "t: " + slices + ", mblock: [1, 3]");
        return complaints(head + a + b + "graphs:\n" + graph("g", 0) + test::with(o, one, "t: 4, mblock: [1, 3]"));
    };
    const std::string by_t = "granularity: t, input0: [0, 1, 1], input1: [0, 1, 1]";
    CHECK(splice("2", by_t, "kernel_broadcast_per_t: {input_0: 1}").empty());
    CHECK(splice("2", by_t, "kernel_broadcast: {input_0: 2}").empty());
    CHECK(
        splice("2", by_t, "kernel_broadcast: {input_0: 1}") ==
        "n.yaml:9:5: error: kernel_broadcast of 'o' holds 1 tiles of input 0, but a core needs more distinct tiles; it "
        "would read wrong tiles");
    CHECK(splice("2", by_t, "kernel_broadcast_per_t: {input_1: 2}") ==
          "n.yaml:9:5: error: kernel_broadcast_per_t of 'o' holds 2 tiles of input 1, but a core needs more distinct "
          "tiles for a slice; it would read wrong tiles");
}
