#include <catch2/catch.hpp>

#include "netlist/text/writer.hpp"
#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl;

static Netlist round_trip(const Netlist& netlist) { return read_netlist_text(write_netlist(netlist), "written"); }

TEST_CASE("a written netlist reads back equal, also when resolved") {
    const Netlist read = read_netlist_text(test::small_netlist, "n");
    CHECK(equal(read, round_trip(read)));
    const Netlist resolved = resolve(read);
    CHECK(equal(resolved, resolve(round_trip(resolved))));
}

TEST_CASE("every field survives being written") {
    std::string text = test::with(test::small_netlist, "loc: dram, dram: [[0, 0x20000000]]",
                                  "loc: host, host: [0x1000], layout: tilized, read_ports: [1], write_ports: [2]");
    text =
        test::with(text, "input_1_tms: [broadcast: {r: 1}]",
                   "input_1_unpad: {rt: 1, ct: 0}, input_1_tms: [broadcast: {z: 1}, hslice: 1, vstack: 1, transpose, "
                   "transpose, pad: [1, 0, 0.1]], input_0_pad: {rt: 0, ct: 0, pad_value: -2.5}, grid_transpose: true, "
                   "input_buf_min_size_tiles: [0, 8], input_dram_io_buf_size_tiles: [4, 0], overlay_size: 1024, "
                   "forked_dram_inputs: [{w: e}]");
    text = test::with(text, "approximate_mode: true",
                      "vector: c, relu_en: true, relu_mode: max, relu_threshold: 0.3, kernel_broadcast: {input_0: 4}");
    text = test::with(
        text, "      - varinst: [$gptr, incwrap, 2, 4]\n",
        "      - loop: 3\n      - varinst: [$gptr, set, -2]\n      - endloop\n      - allocate_queue: [out0]\n"
        "      - deallocate_queue: [out0]\n      - endprogram\n");
    text += R"(fused_ops:
  0:
    inputs: 2
    intermediates: 1
    schedules:
      - [{a: {type: quantization, inputs: [input0, input1], mblock: [1, 1], ublock: [1, 1], zero_point: 3.5, output: intermed0}}]
      - [{b: {type: multiply, inputs: [intermed0, input1], input_0_tms: [broadcast: {r: 2}], input_1_tms: [tile_broadcast: c], pop_last: [intermed0], mblock: [2, 1], ublock: [1, 1], output: output}}]
test-config:
  test-args: {microbatch_count: 3, zero_grad: true}
  comparison-config: {type: AllClose, atol: 0.5, check_tile_cols_range: [1, 16], method: TilizedTensor, overrides: {"out.*": {check_pcc: 0.25}}}
  stimulus-config: {type: Step, step_start: 2, step_increment: 0.5, overrides: {w: {type: sparse, matmul_ident_name: e}}}
  io-config: {inputs: [in0], outputs: [out0]}
performance-check:
  x: {program-name: p0, target-cores: [[0, 1], 2-3], cycles-per-tensor: {expected: 10, rtol: 0.5}}
)";
    const Netlist read = read_netlist_text(text, "n");
    CHECK(read.queues[0].write_ports == std::vector<std::int64_t>{2});
    CHECK(read.performance[0].target_cores == std::vector<std::string>{"0-1", "2-3"});
    CHECK(equal(read, round_trip(read)));
    // The comparison itself must see differences.
    Netlist other = read;
    other.graphs[0].ops[0].cfg.attr.relu_threshold = 0.25F;
    CHECK_FALSE(equal(read, other));
    other = read;
    other.programs[0].instructions.pop_back();
    CHECK_FALSE(equal(read, other));
}

TEST_CASE("names that YAML would misread are quoted") {
    Netlist netlist = read_netlist_text(test::small_netlist, "n");
    netlist.queues[1].name = "null";
    netlist.graphs[0].ops[1].inputs[1] = "null";
    netlist.graphs[0].name = "a: {b}\t\"#\\\n";
    CHECK(equal(netlist, round_trip(netlist)));
}
