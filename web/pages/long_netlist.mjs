// Generates a netlist of many different graphs, each a chain of ops over all cores of a Grayskull.
export function longNetlist(graphs, ops = 110) {
  const types = ['exp', 'sqrt', 'nop', 'reciprocal', 'gelu'];
  const queues = [], bodies = [], executes = [];
  const queue = (name, input, at, m) => {
    const address = 0x20000000 + Math.floor(at / 6) * 0x100000;
    queues.push(`  ${name}: {type: queue, input: ${input}, entries: 32, grid_size: [1, 1], t: 1, mblock: [${m}, 1], ublock: [1, 1], df: Bfp8_b, target_device: 0, loc: dram, dram: [[${at % 6}, ${address}]]}`);
  };
  for (let g = 0; g < graphs; ++g) {
    const m = 1 + (g % 4);
    queue(`in_${g}`, 'HOST', 2 * g, m);
    queue(`out_${g}`, `op_${g}_${ops - 1}`, 2 * g + 1, m);
    const lines = [`  graph_${g}:`, '    target_device: 0', '    input_count: 32'];
    for (let i = 0; i < ops; ++i)
      lines.push(`    op_${g}_${i}: {type: ${types[(g + i * (1 + (g % 7))) % types.length]}, grid_loc: [${Math.floor(i / 12)}, ${i % 12}], grid_size: [1, 1], inputs: [${i === 0 ? `in_${g}` : `op_${g}_${i - 1}`}], in_df: [Bfp8_b], acc_df: Float16_b, out_df: Bfp8_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: ${[1, 2, 4][(g + i) % 3]}, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [${m}, 1], ublock: [1, 1]}`);
    bodies.push(lines.join('\n'));
    executes.push(`      - execute: {graph_name: graph_${g}, queue_settings: {in_${g}: {prologue: false, epilogue: false, zero: false, rd_ptr_local: 0, rd_ptr_global: 0}}}`);
  }
  return `devices:\n  arch: [grayskull]\n\nqueues:\n${queues.join('\n')}\n\ngraphs:\n${bodies.join('\n')}\n\nprograms:\n  - run:\n${executes.join('\n')}\n`;
}
