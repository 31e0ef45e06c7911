// What the run is, and the few numbers that say most.
import type { Row, Run } from '../data';
import { el } from '../dom';
import { bytes, number, percent } from '../format';
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

/** Inputs a second over all epochs, and the share of their cycles in which math works. */
export function overall(epochs: Row[], clockMhz: number): { speed: number; util: number } {
  let cycles = 0, worked = 0, inputs = 0;
  for (const epoch of epochs) {
    cycles += Number(epoch.cycles);
    worked += Number(epoch.cycles) * Number(epoch.utilization);
    inputs = Math.max(inputs, Number(epoch.inputs));
  }
  return cycles > 0 ? { speed: (inputs * clockMhz * 1e6) / cycles, util: worked / cycles } : { speed: 0, util: 0 };
}

export function summaryPage(run: Run, openOp: (op: string) => void): HTMLElement {
  const page = el('div', {});
  const chip = run.machine?.chips[0];
  page.append(facts([
    ['files', run.files.join(', ')],
    ['chip', run.arch ?? String(run.trace?.run.arch ?? '')],
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
    const { speed, util } = overall(trace.epochs, Number(trace.run.clock_mhz));
    page.append(el('h2', {}, 'The run'), facts([
      ['command', trace.run.command],
      ['status', trace.run.status],
      ['message', trace.run.message],
      ['mode', trace.run.mode],
      ['cycles', number(Number(trace.run.cycles))],
      ['inputs a second, all epochs after one another', number(speed)],
      ['math works', percent(util)],
    ]));
    const rows = sortedRows(opRows(run), 'bw_kernel', true).slice(0, 10);
    page.append(el('h2', {}, 'Slowest ops'), table('slowest', opColumns.slice(0, 14), rows, (row) => openOp(String(row.op))));
  }
  for (const note of run.notes) page.append(el('p', { class: 'note' }, note));
  return page;
}
