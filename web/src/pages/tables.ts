// The tables of ttperf: epochs, ops, resources (docs/trace.md "What ttperf makes of it").
import type { Row, Run, Trace } from '../data';
import { choice, clear, el } from '../dom';
import { table, type Column } from '../table';

/** Green above 0.5, red below 0.25. */
const share = (key: string) => (row: Row) => {
  const value = row[key];
  return typeof value !== 'number' ? '' : value > 0.5 ? 'good' : value < 0.25 ? 'bad' : '';
};
/** Red if the values differ by at least 50 %, yellow at 20 %. */
const off = (key: string, from: string) => (row: Row) => {
  const a = row[key], b = row[from];
  if (typeof a !== 'number' || typeof b !== 'number' || b === 0) return '';
  const by = Math.abs(a / b - 1);
  return by >= 0.5 ? 'bad' : by >= 0.2 ? 'fair' : '';
};

export const epochColumns: Column[] = [
  { key: 'epoch', title: 'epoch' },
  { key: 'graphs', title: 'graphs', name: true },
  { key: 'chips', title: 'chips' },
  { key: 'inputs', title: 'inputs' },
  { key: 'start', title: 'start', unit: 'cycle' },
  { key: 'cycles', title: 'cycles', unit: 'cycles' },
  { key: 'inputs_per_second', title: 'inputs/s', unit: 'steady', help: 'steady rate, as simulated; empty: too few inputs' },
  { key: 'speed_per_second', title: 'speed', unit: 'inputs/s', help: 'inputs/s if no op waited for another' },
  { key: 'cores', title: 'cores' },
  { key: 'utilization', title: 'util', share: true, colour: share('utilization'), help: 'share of all cores of its chips that compute, at the speed' },
  { key: 'math_utilization', title: 'math', share: true, colour: share('math_utilization'), help: 'share of the cycles of its cores in which FPU or SFPU are busy' },
  { key: 'matmul_cores', title: 'matmul cores' },
  { key: 'matmul_utilization', title: 'matmul util', share: true, colour: share('matmul_utilization'), help: 'the same over the cores of matmuls' },
  { key: 'limiting_op', title: 'limiting op', name: true },
  { key: 'limit', title: 'by' },
];
/** Of a netlist that trains, beside the epoch's graphs. */
export const epochTypeColumn: Column = { key: 'epoch_type', title: 'type' };
export const stepColumns: Column[] = [
  epochTypeColumn,
  { key: 'epochs', title: 'epochs' },
  { key: 'cycles', title: 'cycles', unit: 'cycles' },
  { key: 'step_share', title: 'of step', share: true },
  { key: 'utilization', title: 'util', share: true, colour: share('utilization'), help: 'share of all cores of the chips in use that compute' },
  { key: 'math_utilization', title: 'math', share: true, colour: share('math_utilization'), help: 'share of the cycles of the cores in use in which FPU or SFPU are busy' },
];
export const opColumns: Column[] = [
  { key: 'op', title: 'op', name: true },
  { key: 'type', title: 'type' },
  { key: 'epoch', title: 'epoch' },
  { key: 'chip', title: 'chip' },
  { key: 'grid', title: 'grid' },
  { key: 'inputs', title: 'inputs' },
  { key: 'est', title: 'est', unit: 'cycles/input', help: 'the busiest of unpack, math and pack alone' },
  { key: 'kernel', title: 'kernel', unit: 'cycles/input', help: 'the three coupled, with inputs and output buffers always available' },
  { key: 'bw_kernel', title: 'bw_kernel', unit: 'cycles/input', help: 'as simulated, without waits for other ops', colour: off('bw_kernel', 'kernel') },
  { key: 'cycles', title: 'cycles', unit: 'cycles/input', help: 'as simulated, with all waits' },
  { key: 'limit', title: 'limits' },
  { key: 'wait_source_share', title: 'for input', share: true, help: 'share of cycles spent waiting for tiles of other ops' },
  { key: 'wait_room_share', title: 'for room', share: true, help: 'share of cycles spent waiting for space at its consumers' },
  { key: 'math_utilization', title: 'math', share: true, colour: share('math_utilization') },
  { key: 'in_bytes_per_cycle_needed', title: 'in need', unit: 'bytes/cycle' },
  { key: 'in_bytes_per_cycle_got', title: 'in got', unit: 'bytes/cycle' },
  { key: 'out_bytes_per_cycle_needed', title: 'out need', unit: 'bytes/cycle' },
  { key: 'out_bytes_per_cycle_got', title: 'out got', unit: 'bytes/cycle' },
];
export const resourceColumns: Column[] = [
  { key: 'kind', title: 'kind' },
  { key: 'name', title: 'name' },
  { key: 'bytes_per_cycle', title: 'capacity', unit: 'bytes/cycle' },
  { key: 'transfers', title: 'transfers' },
  { key: 'bytes', title: 'moved', unit: 'bytes' },
  { key: 'busy', title: 'busy', unit: 'cycles' },
  { key: 'queueing', title: 'queueing', unit: 'cycles' },
  { key: 'utilization', title: 'util', share: true },
  { key: 'peak_utilization', title: 'peak', share: true },
];

/** Adds the grid as the command line writes it. */
export const withGrid = (op: Row): Row => ({ ...op, grid: `${op.grid_r},${op.grid_c}` });

/** Epochs, and below them the training step if there is one. */
function epochTables(trace: Trace): HTMLElement[] {
  const training = trace.training;
  if (!training) return [table('epochs', epochColumns, trace.epochs)];
  const [epoch, graphs, ...rest] = epochColumns;
  const columns = [epoch, graphs, epochTypeColumn, ...rest].filter((column) => column !== undefined);
  return [
    table('epochs', columns, trace.epochs),
    el('h2', {}, 'Training step'), table('step', stepColumns, [...training.types, training.step]),
    el('p', { class: 'hint' }, `saved activations: ${training.saved_bytes.toLocaleString('en-US')} bytes`),
  ];
}

export function tablesPage(run: Run, openOp: (op: string) => void): HTMLElement {
  const trace = run.trace;
  if (!trace) return el('p', { class: 'empty' }, 'Tables need a trace: run with --trace FILE and pass that file to ttsim report.');
  const ops = trace.ops.map(withGrid);
  const place = el('div');
  let epoch = 'all';
  const show = () => {
    clear(place);
    const rows = epoch === 'all' ? ops : ops.filter((op) => String(op.epoch) === epoch);
    place.append(table('ops', opColumns, rows, (row) => openOp(String(row.op))));
  };
  show();
  const epochs: [string, string][] = [['all', 'all'], ...trace.epochs.filter((e) => e.same_as === undefined).map((e): [string, string] => [String(e.epoch), `${e.epoch}: ${e.graphs}`])];
  return el('div', {},
    el('h2', {}, 'Epochs'), ...epochTables(trace),
    el('h2', {}, 'Ops'), el('p', { class: 'hint' }, 'Of the slowest core of each op. Enter or a click on a row shows the placement of the op.'),
    choice('Epoch', 'ops-epoch', epochs, epoch, (value) => { epoch = value; show(); }), place,
    el('h2', {}, 'Links and channels'), table('resources', resourceColumns, trace.resources));
}
