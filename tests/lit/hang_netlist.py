"""hang_netlist.py KIND: a netlist that hangs. hang_netlist.py KIND --apply TTSIM FILE: runs it, reads the change that
the message names, and prints the netlist with that change."""
import re
import subprocess
import sys

QUEUE = """\
devices: {arch: [grayskull, wormhole_b0]}
queues:
  x:   {input: HOST, type: queue, entries: 4, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[0, 0x10000000]]}
  mid: {input: first, type: queue, entries: 2, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[0, 0x11000000]]}
  y:   {input: second, type: queue, entries: 4, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[0, 0x11001080]]}
graphs:
  g:
    target_device: 0
    input_count: 4
    first: {type: nop, grid_loc: [0, 0], OP, inputs: [x], in_df: [Float16_b]}
  h:
    target_device: 0
    input_count: 4
    second: {type: nop, grid_loc: [0, 0], OP, inputs: [mid], in_df: [Float16_b]}
programs:
  - p:
      - var: {$l: 0, $g: 0}
      - execute: {graph_name: g, queue_settings: {x: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}}}
      - execute: {graph_name: h, queue_settings: {mid: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}}}
""".replace("OP", "grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], ublock_order: r, buf_size_mb: 2, "
                  "math_fidelity: HiFi4, untilize_output: false, acc_df: Float16_b, out_df: Float16_b, "
                  "intermed_df: Float16_b")

COMMON = ("ublock_order: r, math_fidelity: HiFi4, untilize_output: false, acc_df: Float16_b, out_df: Float16_b, "
          "intermed_df: Float16_b")
EIGHT = "grid_size: [1, 1], t: 8, mblock: [2, 2], ublock: [2, 2]"
FORK = f"""\
devices: {{arch: [wormhole_b0, grayskull]}}
queues:
  x: {{input: HOST, type: queue, entries: 1, {EIGHT}, df: Float16_b, target_device: 0, loc: dram, dram: [[0, 0x10000000]]}}
  w: {{input: HOST, type: ram, entries: 1, {EIGHT}, df: Float16_b, target_device: 0, loc: dram, dram: [[1, 0x10000000]]}}
  y: {{input: join, type: queue, entries: 1, {EIGHT}, df: Float16_b, target_device: 0, loc: dram, dram: [[2, 0x10000000]]}}
graphs:
  g:
    target_device: 0
    input_count: 1
    fork: {{type: nop, grid_loc: [0, 0], {EIGHT}, buf_size_mb: 2, inputs: [x], in_df: [Float16_b], {COMMON}}}
    slow: {{type: matmul, grid_loc: [0, 1], grid_size: [1, 1], t: 1, mblock: [2, 2], ublock: [2, 2], buf_size_mb: 2, inputs: [fork, w], in_df: [Float16_b, Float16_b], attributes: {{m_k: 4, u_kt: 1, accumulate: true, z: 8}}, {COMMON}}}
    join: {{type: add, grid_loc: [0, 2], {EIGHT}, buf_size_mb: 2, inputs: [fork, slow], in_df: [Float16_b, Float16_b], input_1_tms: [broadcast: {{z: 8}}], {COMMON}}}
programs:
  - p:
      - var: {{$l: 0, $g: 0}}
      - execute: {{graph_name: g, queue_settings: {{x: {{prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}}, w: {{prologue: false, epilogue: false, zero: false, rd_ptr_global: 0, wr_ptr_global: 0}}}}}}
"""

text = {"queue": QUEUE, "fork": FORK}[sys.argv[1]]
if len(sys.argv) > 2:
    ttsim, file = sys.argv[3:]
    message = subprocess.run([ttsim, "run", file], capture_output=True, text=True, check=False).stderr
    field, name, size = re.search(r"it runs with '(\w+)' of (?:op|queue) '(\w+)' from \d+ to (\d+)", message).groups()
    place = re.search(r"with '(dram: \[.*?\]\])'", message)
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip().startswith(name + ":"))
    lines[at] = re.sub(rf"\b{field}: \d+", f"{field}: {size}", lines[at])
    if place:
        lines[at] = re.sub(r"dram: \[.*?\]\]", place[1], lines[at])
    text = "\n".join(lines) + "\n"
print(text, end="")
