import { describe, expect, it } from 'vitest';
import { compareCells, sortedRows } from '../src/table';

describe('tables', () => {
  it('sort numbers as numbers and names with numbers in them', () => {
    const rows = [{ name: 'op10', n: 9 }, { name: 'op9', n: 100 }, { name: 'op1', n: null }];
    expect(sortedRows(rows, 'n', true).map((row) => row.n)).toEqual([100, 9, null]);
    expect(sortedRows(rows, 'name', false).map((row) => row.name)).toEqual(['op1', 'op9', 'op10']);
  });
  it('do not change the given rows', () => {
    const rows = [{ n: 2 }, { n: 1 }];
    sortedRows(rows, 'n', false);
    expect(rows[0]?.n).toBe(2);
  });
  it('put missing values first', () => expect(compareCells(null, 1)).toBeLessThan(0));
});
