import { describe, expect, it } from 'vitest';
import type { CoreRow, Op, Run } from '../src/data';
import { entryText, Model, opTime, reblocking } from '../src/model';
import { extent, gridRows } from '../src/pages/placement';
import { lanesOfCore } from '../src/time/lanes';
import { inputsOf } from '../src/series';

const op = (name: string, inputs: string[], grid: [number, number] = [1, 1]): Op => ({
  name, type: 'nop', graph: 'g', chip: 0, grid, t: 1, mblock: [1, 1], ublock: [1, 1], order: 'r', inputs: inputs.map((from) => ({ from })), df: 'Bfp8', fidelity: 'HiFi4', line: 1,
});
const run: Run = { name: 'r', files: [], notes: [], ops: [op('a', ['q']), op('b', ['a'], [2, 1])], queues: [], epochs: [
  { graphs: ['g'], chips: [0], launches: 1, ops: [{ op: 'a', chip: 0, l1: [] }] }, { graphs: ['h'], chips: [0], launches: 1, ops: [{ op: 'b', chip: 0, l1: [] }] }] };

describe('the netlist of a run', () => {
  it('has edges and epochs', () => {
    const model = new Model(run);
    expect(model.into.get('b')?.map((edge) => edge.from)).toEqual(['a']);
    expect(model.epochOf.get('b')).toBe(1);
    expect(model.into.get('b')?.[0]?.reblock).toBe('grid 1x1 to 2x1');
  });
  it('reports no reblocking for equal blocking', () => expect(reblocking(op('a', []), op('b', []))).toBe(''));
  it('shows the entry of an op up to its closing brace', () => {
    expect(entryText(['x:', '  a: {type: nop,', '    inputs: [q]}', '  b: {}'], 2)).toBe('a: {type: nop,\n    inputs: [q]}');
    expect(entryText([], 3)).toBe('');
  });
});

describe('the grid', () => {
  it('has harvested rows at their physical positions', () => {
    const chip = { id: 0, arch: '', clock_mhz: 1, rows: [1, 3], columns: [1], harvested_rows: [2], dram_channels: 1, dram_channel_bytes: 1, l1_bytes: 1, l1_reserved: 0 };
    expect(gridRows(chip)).toEqual([[1, 0], [2, -1], [3, 1]]);
  });
  it('transposes the rectangle of a transposed op', () => expect(extent({ ...op('a', [], [2, 3]), transposed: true })).toEqual([3, 2]));
});

describe('time', () => {
  it('has a line for each cause of a core', () => {
    const row = [0, 1, 1, 0, 10, 30, 0, 30, 1, 1, 5, 12, 0, 8, 0, 10, 0, 0, 0, 0, 0];
    const lanes = lanesOfCore([{ epoch: 0, offset: 0, series: { epoch: 0, op: 'a', chip: 0, x: 1, y: 2, start: 10, end: 40, series: [row] } }]);
    expect(lanes.map((lane) => (lane.kind === 'core' ? lane.only : 'no core'))).toEqual([undefined, 'wait_source', 'wait_dram', 'busy']);
    expect(lanes[0]?.label).toBe('core 1-2');
  });
  it('sums cores and finds the limiting cause', () => {
    const core = (busy: number, dram: number): CoreRow => [0, 'a', 1, 1, 0, busy + dram, busy, 0, 0, dram, 0, 0, 0, 0, 0, 0];
    const time = opTime([core(10, 30), core(20, 40)]);
    expect(time.limit).toBe('wait_dram');
    expect(time.busyShare).toBeCloseTo(0.3);
  });
  it('repeats rows as in the trace, only in the window', () => {
    const row = [0, 4, 1, 100, 50, 80, 0, 80, 1, 1, 60, 50, 10, 5, 5, 5, 5, 0, 0, 0, 0, null];
    const series = { epoch: 0, op: 'a', chip: 0, x: 1, y: 1, start: 50, end: 430, series: [row] };
    expect(inputsOf(series, 0, 1000).map((input) => [input.input, input.start, input.end])).toEqual([[0, 50, 130], [1, 150, 230], [2, 250, 330], [3, 350, 430]]);
    expect(inputsOf(series, 240, 260).map((input) => input.input)).toEqual([2]);
    expect(inputsOf(series, 0, 1000)[0]?.parts).toEqual([60, 5, 5, 5, 5, 0, 0, 0, 0]);
  });
});
