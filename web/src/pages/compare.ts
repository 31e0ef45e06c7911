// Two runs side by side: the same op in both, largest difference first.
import type { Row, Run } from '../data';
import { choice, clear, el } from '../dom';
import { number } from '../format';
import { table, type Column } from '../table';
import { rate } from './summary';

export function compareOps(a: Run, b: Run): Row[] {
  const key = (row: Row) => String(row.op);
  const last = new Map((b.trace?.ops ?? []).map((row) => [key(row), row]));
  const rows: Row[] = [];
  for (const row of a.trace?.ops ?? []) {
    const other = last.get(key(row));
    last.delete(key(row));
    rows.push(pair(key(row), row, other));
  }
  for (const [name, row] of last) rows.push(pair(name, undefined, row));
  return rows.sort((x, y) => Math.abs(Number(y.difference ?? 0)) - Math.abs(Number(x.difference ?? 0)));
}

function pair(op: string, a: Row | undefined, b: Row | undefined): Row {
  const grid = (row: Row | undefined) => (row ? `${row.grid_r},${row.grid_c}` : null);
  const before = a ? Number(a.cycles) : null, after = b ? Number(b.cycles) : null;
  return {
    op, grid_a: grid(a), grid_b: grid(b), cycles_a: before, cycles_b: after,
    difference: before !== null && after !== null ? after - before : null,
    ratio: before !== null && after !== null && before > 0 ? after / before : null,
    limit_a: a?.limit ?? null, limit_b: b?.limit ?? null,
  };
}

const sign = (row: Row) => (Number(row.difference ?? 0) < 0 ? 'good' : Number(row.difference ?? 0) > 0 ? 'bad' : '');
const columns: Column[] = [
  { key: 'op', title: 'op', name: true }, { key: 'grid_a', title: 'grid A' }, { key: 'grid_b', title: 'grid B' },
  { key: 'cycles_a', title: 'cycles A' }, { key: 'cycles_b', title: 'cycles B' },
  { key: 'difference', title: 'B - A', colour: sign }, { key: 'ratio', title: 'B / A', colour: sign },
  { key: 'limit_a', title: 'limits A' }, { key: 'limit_b', title: 'limits B' },
];

export function comparePage(runs: Run[]): HTMLElement {
  if (runs.length < 2) return el('p', { class: 'empty' }, 'Run ttsim report with two traces to compare them.');
  let a = 0, b = 1;
  const place = el('div');
  const facts = (run: Run, mark: string) => {
    const trace = run.trace;
    return el('div', {}, el('h2', {}, `${mark}: ${run.name}`), el('p', {}, trace ? `${number(Number(trace.run.cycles))} cycles, end to end ${rate(trace.run.end_to_end_per_second)}, steady ${rate(trace.run.inputs_per_second)}` : 'without a trace'));
  };
  const show = () => {
    clear(place);
    const first = runs[a], second = runs[b];
    if (!first || !second) return;
    place.append(el('div', { class: 'two' }, facts(first, 'A'), facts(second, 'B')), table('compare', columns, compareOps(first, second)));
  };
  const names = runs.map((run, i): [string, string] => [String(i), run.name]);
  show();
  return el('div', {}, el('div', { class: 'bar' }, choice('A', 'run-a', names, '0', (value) => { a = Number(value); show(); }), choice('B', 'run-b', names, '1', (value) => { b = Number(value); show(); })), place);
}
