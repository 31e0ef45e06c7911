// The run and its most important figures.
import type { Row, Run } from '../data';
import { el } from '../dom';
import { bytes, number } from '../format';
import { sortedRows, table } from '../table';
import { opColumns, opRows } from './tables';

function facts(list: [string, string | number | null | undefined][]): HTMLElement {
  const box = el('dl', { class: 'facts' });
  for (const [name, value] of list) {
    if (value === undefined || value === null || value === '') continue;
    box.append(el('dt', {}, name), el('dd', {}, value));
  }
  return box;
}

/** A rate in the format of all reports; '-' if unknown. */
export const rate = (value: Row[string] | undefined): string => (typeof value === 'number' ? `${number(value)} inputs/s` : '-');

export function summaryPage(run: Run, openOp: (op: string) => void): HTMLElement {
  const page = el('div', {});
  const chip = run.machine?.chips[0];
  page.append(facts([
    ['files', run.files.join(', ')],
    ['chip', (run.arch ?? String(run.trace?.run.arch ?? '')) + (run.validated === false ? ' (not validated)' : '')],
    ['device', run.machine?.name],
    ['chips', run.machine?.chips.length],
    ['cores of a chip', chip && `${chip.rows.length} x ${chip.columns.length}`],
    ['clock', chip && `${chip.clock_mhz} MHz`],
    ['graphs', run.ops && new Set(run.ops.map((op) => op.graph)).size],
    ['epochs', run.epochs?.length],
    ['ops', run.ops?.length],
    ['queues', run.queues?.length],
    ['queues in DRAM', run.queues && bytes(run.queues.filter((q) => q.place === 'dram').reduce((sum, q) => sum + q.buffers.length * q.buffer_bytes, 0))],
    ['passes', run.passes?.length],
  ]));
  const trace = run.trace;
  if (trace) {
    page.append(el('h2', {}, 'The run'), facts([
      ['command', trace.run.command],
      ['status', trace.run.status],
      ['message', trace.run.message],
      ['mode', trace.run.mode],
      ['cycles', number(Number(trace.run.cycles))],
      ['end to end', rate(trace.run.end_to_end_per_second)],
      ['steady', rate(trace.run.inputs_per_second)],
    ]));
    const rows = sortedRows(opRows(run), 'bw_kernel', true).slice(0, 10);
    page.append(el('h2', {}, 'Slowest ops'), table('slowest', opColumns.slice(0, 14), rows, (row) => openOp(String(row.op))));
  }
  for (const note of run.notes) page.append(el('p', { class: 'note' }, note));
  return page;
}
