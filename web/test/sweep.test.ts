import { describe, expect, it } from 'vitest';
import { bestRow, categories, heat, label, paretoFront, shown, type Results } from '../src/sweep/results';

const results: Results = {
  axes: ['run.n', 'device'], measures: ['cycles', 'rate'], less: ['cycles'], objectives: [], rows: 4, reports: {},
  columns: {
    key: ['a', 'b', 'c', 'd'], 'run.n': [2, 1, 10, 1], device: ['x', 'y', 'x', 'x'],
    cycles: [100, 50, 120, null], rate: [9, 5, 8, 7],
  },
};
const all = [0, 1, 2, 3];

describe('results of a sweep', () => {
  it('finds the rows that no other row beats', () => {
    expect(paretoFront(results, all, 'cycles', 'rate')).toEqual([1, 0]);
    expect(paretoFront(results, all, 'rate', 'cycles')).toEqual([0, 1]);
  });
  it('orders numbers by size and texts as they come', () => {
    expect(categories(results, 'run.n', all)).toEqual([1, 2, 10]);
    expect(categories(results, 'device', all)).toEqual(['x', 'y']);
  });
  it('takes the best value of each cell of a heat map', () => {
    expect(heat(results, all, 'device', 'device', 'cycles')).toEqual([[0, 0, 100, 0], [1, 1, 50, 1]]);
    expect(heat(results, all, 'device', 'device', 'rate')).toEqual([[0, 0, 9, 0], [1, 1, 5, 1]]);
  });
  it('finds the best row, leaving out rows without a number', () => {
    expect(bestRow(results, all, 'cycles')).toBe(1);
    expect(bestRow(results, [3], 'cycles')).toBeUndefined();
  });
  it('shortens long names and formats values', () => {
    expect(label('netlist.graphs.fwd.matmul.grid_size')).toBe('netlist..matmul.grid_size');
    expect(label('run.n')).toBe('run.n');
    expect([shown(null), shown(1234567), shown(0.12345678), shown('a')]).toEqual(['-', '1,234,567', '0.123457', 'a']);
  });
});
