// Inputs of an op over time, from the rows of a trace, which stores repeated rows once (docs/trace.md core_load).
import type { Series } from './data';
import { causes, type Cause } from './model';

export interface Input {
  input: number;
  start: number;
  end: number;
  /** Cycles by cause, in the order of `causes`. */
  parts: number[];
}
/** Indices of fields in a row of a series. */
const at = { input: 0, times: 1, every: 2, shift: 3, start: 4, length: 5, mathBound: 11, unpackBound: 12, waits: 13 };

/** Inputs between two cycles of the epoch, at most `max`; later rows of the series are left out first. */
export function inputsOf(series: Series, from: number, to: number, max = 5000): Input[] {
  const list: Input[] = [];
  for (const row of series.series) {
    const number = (i: number) => Number(row[i] ?? 0);
    const shift = number(at.shift), length = number(at.length), start = number(at.start), times = number(at.times);
    const first = shift > 0 ? Math.max(0, Math.ceil((from - start - length) / shift)) : 0;
    const last = shift > 0 ? Math.min(times - 1, Math.floor((to - start) / shift)) : times - 1;
    const parts = [number(at.mathBound) + number(at.unpackBound), ...causes.slice(1).map((_, i) => number(at.waits + i))];
    for (let n = first; n <= last && list.length < max; ++n) {
      const begin = start + n * shift;
      if (begin <= to && begin + length >= from) list.push({ input: number(at.input) + n * number(at.every), start: begin, end: begin + length, parts });
    }
  }
  return list.sort((a, b) => a.start - b.start);
}

/** Drawing order of the parts of an input: waits for operands, busy, waits within the core, waits for output, drain. */
export const drawnOrder: Cause[] = ['wait_source', 'wait_dram', 'wait_noc', 'busy', 'wait_dst', 'wait_pack', 'wait_output', 'wait_room', 'drain'];
