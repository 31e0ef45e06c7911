// Results of a sweep as `ttsim sweep page` writes them, and what the pictures need of them.

export type Cell = number | string | boolean | null;
/** Rows are by column. `axes` and `measures` name columns; `less` are the measures of which less is better. */
export interface Results {
  axes: string[];
  measures: string[];
  less: string[];
  objectives: string[];
  columns: Record<string, Cell[]>;
  /** Number of rows of the store; the page has at most some ten thousand of them. */
  rows: number;
  reports: Record<string, string>;
}

export function count(results: Results): number {
  return results.columns.key?.length ?? 0;
}

export function cell(results: Results, column: string, row: number): Cell {
  return results.columns[column]?.[row] ?? null;
}

/** Rows with numbers in all columns. */
export function withNumbers(results: Results, rows: number[], columns: string[]): number[] {
  return rows.filter((row) => columns.every((column) => typeof cell(results, column, row) === 'number'));
}

/** The cost of a row in a column: a number that is better when it is smaller. */
function cost(results: Results, column: string, row: number): number {
  const value = Number(cell(results, column, row));
  return results.measures.includes(column) && !results.less.includes(column) ? -value : value;
}

/** Rows that no other row beats in both columns, by the first column. */
export function paretoFront(results: Results, rows: number[], first: string, second: string): number[] {
  const usable = withNumbers(results, rows, [first, second]);
  usable.sort((a, b) => cost(results, first, a) - cost(results, first, b) || cost(results, second, a) - cost(results, second, b));
  const front: number[] = [];
  let best = Infinity;
  for (const row of usable) {
    const here = cost(results, second, row);
    if (here < best) {
      front.push(row);
      best = here;
    }
  }
  return front;
}

/** The values of an axis in their order: numbers by size, then texts as they come. */
export function categories(results: Results, column: string, rows: number[]): Cell[] {
  const found = [...new Set(rows.map((row) => cell(results, column, row)))];
  return found.every((value) => typeof value === 'number') ? found.sort((a, b) => Number(a) - Number(b)) : found;
}

/** The best value of a measure for each pair of values of two axes: [x index, y index, value, row]. */
export function heat(results: Results, rows: number[], x: string, y: string, measure: string): [number, number, number, number][] {
  const columns = categories(results, x, rows);
  const lines = categories(results, y, rows);
  const best = new Map<string, [number, number, number, number]>();
  for (const row of withNumbers(results, rows, [measure])) {
    const at: [number, number] = [columns.indexOf(cell(results, x, row)), lines.indexOf(cell(results, y, row))];
    const value = Number(cell(results, measure, row));
    const before = best.get(at.join());
    if (!before || cost(results, measure, row) < cost(results, measure, before[3])) best.set(at.join(), [...at, value, row]);
  }
  return [...best.values()];
}

/** The best row by a measure; undefined if none has a number. */
export function bestRow(results: Results, rows: number[], measure: string): number | undefined {
  let best: number | undefined;
  for (const row of withNumbers(results, rows, [measure]))
    if (best === undefined || cost(results, measure, row) < cost(results, measure, best)) best = row;
  return best;
}

/** Column names without the parts that all have in common with "run." and the like: for labels of axes. */
export function label(column: string): string {
  const parts = column.split('.');
  return parts.length > 3 ? `${parts[0]}..${parts.slice(-2).join('.')}` : column;
}

export function shown(value: Cell): string {
  if (value === null) return '-';
  if (typeof value !== 'number') return String(value);
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toLocaleString('en', { maximumSignificantDigits: 6 });
}
