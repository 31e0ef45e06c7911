// Exact messages and places for netlists broken in one spot.
#include <catch2/catch.hpp>

#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl::test;

namespace {

const Message link_messages[] = {
    {"input: sum, type", "input: summ, type",
     "n.yaml:5:3: error: queue 'out0' is fed by 'summ', which is not an op; did you mean 'sum'?"},
    {"inputs: [in0]", "inputs: [in1]",
     "n.yaml:10:5: error: input 0 of op 'e' is 'in1', which is neither a queue nor an op; did you mean 'in0'?"},
    {"inputs: [in0]", "inputs: [in0, in0]", "n.yaml:10:5: error: op 'e' has 2 inputs; exp needs 1 here"},
    {"    e: {type", "    sum: {type",
     "n.yaml:11:5: error: op 'sum' has a name that is already used (line 10); names are unique in a netlist\n"
     "n.yaml:11:5: error: input 0 of op 'sum' is 'e', which is neither a queue nor an op; did you mean 'w'?"},
    {"    e: {type", "    w: {type",
     "n.yaml:10:5: error: op 'w' has a name that is already used (line 4); names are unique in a netlist\n"
     "n.yaml:11:5: error: input 0 of op 'sum' is 'e', which is neither a queue nor an op; did you mean 'w'?"},
    {"inputs: [in0]", "inputs: [sum]", "n.yaml:10:5: error: ops form a cycle: e -> sum -> e"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [hslice: 3]",
     "n.yaml:11:299: error: input 1 of op 'sum': 'hslice: 3' does not divide the 2 tile columns"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [vstack: 2]",
     "n.yaml:11:299: error: input 1 of op 'sum': 'vstack: 2' does not divide the 1 slices"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_unpad: {rt: 2, ct: 0}",
     "n.yaml:11:5: error: input 1 of op 'sum': unpad of 2 tile rows and 0 tile columns leaves nothing of 2x2"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [broadcast: {r: 1048576}, broadcast: {c: 1048576}]",
     "n.yaml:11:324: error: input 1 of op 'sum': 'broadcast: {c: 1048576}' makes a tensor of more than 2147483648 "
     "tiles"},
    {"type: exp", "type: fused_op", "n.yaml:10:5: error: op 'e' needs the attribute 'fused_op_id'"},
    {"type: exp, grid_loc: [0, 0], grid_size: [1, 1], inputs: [in0], in_df: [Float16_b], acc_df: Float16_b, out_df: "
     "Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi3, untilize_output: "
     "false, t: 1, mblock: [1, 2], ublock: [2, 1], attributes: {approximate_mode: true}",
     "type: fused_op, grid_loc: [0, 0], grid_size: [1, 1], inputs: [in0], in_df: [Float16_b], acc_df: Float16_b, "
     "out_df: Float16_b, intermed_df: Float16_b, math_fidelity: HiFi3, t: 1, mblock: [1, 2], ublock: [2, 1], "
     "attributes: {fused_op_id: 9}",
     "n.yaml:10:5: error: op 'e' has fused_op_id '9', which 'fused_ops' does not define"},
};

const Message chip_messages[] = {
    {"buf_size_mb: 2, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [1, 2], ublock: [2, 1], attributes: "
     "{approximate_mode",
     "buf_size_mb: 3, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [1, 2], ublock: [2, 1], attributes: "
     "{approximate_mode",
     "n.yaml:10:5: error: buf_size_mb of 'e' is 3; it must be 1 or even, such as 4"},
    {"grid_loc: [0, 1]", "grid_loc: [0, 0]",
     "n.yaml:11:5: error: op 'sum' uses core [0, 0], which op 'e' of graph 'g0' already uses"},
    {"grid_loc: [0, 1]", "grid_loc: [10, 1]",
     "n.yaml:11:5: error: op 'sum' uses cores [10, 1] to [10, 1]; the grid has 10 rows and 8 columns"},
    {"target_device: 0, loc", "target_device: 1, loc",
     "n.yaml:3:3: error: queue 'in0' is on chip 1; the machine has chip 0 only"},
    {"    target_device: 0\n", "    target_device: 2\n",
     "n.yaml:7:3: error: graph 'g0' is on chip 2; the machine has chip 0 only"},
    {"dram: [[0, ", "dram: [[6, ",
     "n.yaml:3:3: error: buffer 0 of queue 'in0' is in DRAM channel 6; the chip has channels 0..5"},
    {"dram: [[0, 0x20000000]]", "dram: [[0, 0x7FFFFFF0]]",
     "n.yaml:3:3: error: buffer 0 of queue 'in0' ends at 0x80004110; a DRAM channel ends at 0x80000000"},
    {"entries: 2", "entries: 2147483648",
     "n.yaml:3:3: error: queue 'in0' has 2147483648 entries of 4 tiles; a DRAM channel has 2147483648 bytes"},
    {"in_df: [Float16_b]", "in_df: [Float16]",
     "n.yaml:10:5: error: in_df[0] of op 'e' is Float16, but 'in0' delivers Float16_b"},
    {"ublock: [2, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[2,",
     "ublock: [2, 1], df: Float16, target_device: 0, loc: dram, dram: [[2,",
     "n.yaml:5:3: error: queue 'out0' has df Float16, but op 'sum' writes Float16_b"},
    {"ublock: [2, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[2,",
     "ublock: [1, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[2,",
     "n.yaml:5:3: error: an entry of queue 'out0' has 1x1x2 tiles (slices x rows x columns), but op 'sum' writes "
     "1x2x2"},
    {"df: Float16_b, target_device: 0, loc: dram, dram: [[2,",
     "df: Float16_b, tile_dim: [16, 32], target_device: 0, loc: dram, dram: [[2,",
     "n.yaml:5:3: error: queue 'out0' has tile_dim 16x32, but op 'sum' writes 32x32"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [transpose]",
     "n.yaml:11:299: error: input 1 of add 'sum' cannot be transposed on this chip"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_1_tms: [pad: [0, 0, 1.5], pad: [0, 0, 2]]",
     "n.yaml:11:317: error: input 1 of op 'sum' is padded twice; one pad an input is allowed"},
    {"untilize_output: false", "untilize_output: true",
     "n.yaml:10:5: error: op 'e' has untilize_output and feeds op 'sum'; it may feed one queue only\n"
     "n.yaml:10:5: error: op 'e' has untilize_output and feeds 0 queues; it must feed exactly one"},
    {"buf_size_mb: 2, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [1, 2], ublock: [2, 1], input_1",
     "gradient_op: true, math_fidelity: HiFi3, t: 1, mblock: [1, 2], ublock: [2, 1], input_1",
     "n.yaml:15:9: error: the execute of graph 'g0' needs settings for queue 'out0', in which gradient op 'sum' "
     "accumulates"},
    {"target_device: 0, loc: dram, dram: [[1,", "alias: in0, target_device: 0, loc: dram, dram: [[1,",
     "n.yaml:4:3: error: queue 'w' is an alias of 'in0'; both must be of type ram\n"
     "n.yaml:4:3: error: queue 'w' and 'in0' must have the same number of tiles in all"},
    {"target_device: 0, loc: dram, dram: [[1,", "alias: nothing, target_device: 0, loc: dram, dram: [[1,",
     "n.yaml:4:3: error: queue 'w' is an alias of 'nothing', which does not exist"},
    {"target_device: 0, loc: dram, dram: [[0,", "layout: flat, target_device: 0, loc: dram, dram: [[0,",
     "n.yaml:10:5: error: input 0 of op 'e' is the flat queue 'in0'; only tilizer and embedding tables read flat "
     "queues"},
    {"graph_name: g0", "graph_name: g1",
     "n.yaml:15:9: error: program 'p0' executes graph 'g1', which does not exist; did you mean 'g0'?"},
    {"queue_settings: {in0:", "queue_settings: {in1:",
     "n.yaml:15:9: error: the execute of graph 'g0' needs settings for queue 'in0', which op 'e' reads\n"
     "n.yaml:15:52: error: settings for queue 'in1', which does not exist; did you mean 'in0'?"},
    {"rd_ptr_local: $lptr", "rd_ptr_local: $lprt",
     "n.yaml:15:52: error: variable '$lprt' is not declared in program 'p0'; did you mean '$lptr'?"},
    {"rd_ptr_local: $lptr, ", "", "n.yaml:15:52: error: the settings of queue 'in0' (type queue) need 'rd_ptr_local'"},
    {"rd_ptr_local: $lptr", "wr_ptr_global: 0, rd_ptr_local: $lptr",
     "n.yaml:15:52: error: the settings of queue 'in0' have 'wr_ptr_global', which is for type ram"},
    {"rd_ptr_global: 0, wr_ptr_global: 0", "rd_ptr_global: 0, wr_ptr_global: 0, rd_ptr_local: 0",
     "n.yaml:15:149: error: the settings of ram 'w' have 'rd_ptr_local', which is for type queue"},
    {"rd_ptr_global: 0, wr_ptr_global: 0", "rd_ptr_global: 0",
     "n.yaml:15:149: error: the settings of queue 'w' (type ram) need 'wr_ptr_global'"},
    {"in0: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $lptr, rd_ptr_global: $gptr}, ", "",
     "n.yaml:15:9: error: the execute of graph 'g0' needs settings for queue 'in0', which op 'e' reads"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- endloop", "n.yaml:16:9: error: 'endloop' of program 'p0' ends no loop"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- loop: 2", "n.yaml:16:9: error: this loop of program 'p0' has no endloop"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [$p_x, add, $p_y, 2]",
     "n.yaml:16:9: error: variable '$p_y' is not declared in program 'p0'; did you mean '$p_x'?"},
    {"- staticvar", "- param: [$p_x]\n      - varinst: [$p_x, set, 2]\n      - staticvar",
     "n.yaml:15:9: error: '$p_x' is a parameter and cannot be changed"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- param: [$p_x]",
     "n.yaml:16:9: error: 'param' must be the first instruction of program 'p0'"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [$gptr, incwrap, 2, 0]",
     "n.yaml:16:9: error: 'incwrap' wraps at 0; it must wrap at 1 or more"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- var: [$gptr]",
     "n.yaml:16:9: error: variable '$gptr' of program 'p0' is declared twice"},
    {"- varinst: [$gptr, incwrap, 2, 4]", "- allocate_queue: [out1]",
     "n.yaml:16:9: error: program 'p0' names the queue 'out1', which does not exist; did you mean 'out0'?"},
    {"rd_ptr_global: $gptr}", "rd_ptr_global: $gptr, global_rdptr_autoinc: 1, global_wrptr_autoinc: 2}",
     "n.yaml:15:52: error: global_rdptr_autoinc and global_wrptr_autoinc of queue 'in0' are 1 and 2; they must be "
     "equal"},
};

const Message grayskull_messages[] = {
    {"acc_df: Float16_b", "acc_df: Float32",
     "n.yaml:10:5: error: acc_df of 'e' is Float32; this chip's Dst has 16-bit formats only: Float16 or Float16_b"},
    {"df: Float16_b, target_device: 0, loc: dram, dram: [[2,",
     "df: Float16_b, read_ports: [1], target_device: 0, loc: dram, dram: [[2,",
     "n.yaml:5:3: error: queue 'out0' sets DRAM ports, which this chip does not support"},
    {"input_1_tms: [broadcast: {r: 1}]", "input_0_tms: [transpose, vslice: 2, hstack: 2]",
     "n.yaml:11:5: error: input 0 of 'sum' has 1x1x4 tiles (slices x rows x columns) after its TMs; add needs the "
     "output's 1x2x2\n"
     "n.yaml:11:299: error: input 0 of add 'sum' cannot be transposed on this chip"},
};

}  // namespace

TEST_CASE("a netlist with inconsistent names or shapes is refused") {
    for (const Message& message : link_messages) {
        INFO(message.from << " -> " << message.to);
        CHECK(complaints(with(small_netlist, message.from, message.to), "wormhole_b0") == message.text);
    }
}

TEST_CASE("a netlist that breaks a rule of the machine or of its programs is refused") {
    for (const Message& message : chip_messages) {
        INFO(message.from << " -> " << message.to);
        CHECK(complaints(with(small_netlist, message.from, message.to), "wormhole_b0") == message.text);
    }
}

TEST_CASE("features of later chips are refused on grayskull") {
    for (const Message& message : grayskull_messages) {
        INFO(message.from << " -> " << message.to);
        CHECK(complaints(with(small_netlist, message.from, message.to), "grayskull") == message.text);
    }
}

TEST_CASE("the small netlist itself has no problem on either chip") {
    CHECK(complaints(small_netlist, "grayskull").empty());
    CHECK(complaints(small_netlist, "wormhole_b0").empty());
}
