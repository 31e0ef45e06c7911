"""Small netlists for ttsim debug. debug_netlist.py nan: the second op takes the logarithm of sin(4), which is
negative.
debug_netlist.py queue: no surprise."""
import sys

SIZES = "grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1]"
QUEUE = f"type: queue, {SIZES}, df: Float16_b, target_device: 0, loc: dram"
OP = (f"{SIZES}, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi4, untilize_output: false, acc_df: Float16_b, "
      "out_df: Float16_b, intermed_df: Float16_b, in_df: [Float16_b]")
SETTING = "{prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}"

KINDS = {"nan": ("sine", "log", 4), "queue": ("nop", "exp", 4)}
first, second, entries = KINDS[sys.argv[1]]
print(f"""\
devices: {{arch: [grayskull, wormhole_b0]}}
queues:
  x: {{input: HOST, entries: {entries}, {QUEUE}, dram: [[0, 0x10000000]]}}
  y: {{input: second, entries: {entries}, {QUEUE}, dram: [[1, 0x10000000]]}}
graphs:
  g:
    target_device: 0
    input_count: 3
    first: {{type: {first}, grid_loc: [0, 0], {OP}, inputs: [x]}}
    second: {{type: {second}, grid_loc: [0, 1], {OP}, inputs: [first]}}
programs:
  - p:
      - var: {{$l: 0, $g: 0}}
      - execute: {{graph_name: g, queue_settings: {{x: {SETTING}}}}}""")
if sys.argv[1] == "nan":
    print("""\
test-config:
  stimulus-config:
    type: Constant
    constant_value: 4.0""")
