// The run at first sight: rates, time by cause, advice, roofline, host and transfers, slowest ops.
import type { AdviceCause, Row, Run, Trace } from '../data';
import { el } from '../dom';
import { bytes, number, percent, seconds } from '../format';
import { epochShares, roofline } from '../shares';
import { sortedRows, table } from '../table';
import { timeBars } from './bars';
import { rooflineChart } from './roofline';
import { opColumns, withGrid } from './tables';

export interface SummaryLinks {
  openOp: (op: string) => void;
  openEpoch: (epoch: number) => void;
}

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

function card(title: string, value: string, more = ''): HTMLElement {
  return el('div', { class: 'card' }, el('span', { class: 'title' }, title), el('span', { class: 'value' }, value), more === '' ? null : el('span', { class: 'more' }, more));
}

/** Cores of the chips that the run uses, and their mean utilization, weighted by the cycles of the epochs. */
export function meanShare(trace: Trace, key: string): number {
  let sum = 0, cycles = 0;
  for (const epoch of trace.epochs) {
    const own = epoch.same_as === undefined ? epoch : trace.epochs.find((other) => other.epoch === epoch.same_as);
    sum += Number(own?.[key] ?? 0) * Number(epoch.cycles);
    cycles += Number(epoch.cycles);
  }
  return cycles > 0 ? sum / cycles : 0;
}

function cards(run: Run, trace: Trace): HTMLElement {
  const cycles = Number(trace.run.cycles), clock = Number(trace.run.clock_mhz);
  const report = run.report;
  const error = typeof report?.uncertainty === 'number' ? `\u00b1 ${number(Math.max(1, Math.round(100 * report.uncertainty)))} %` : '';
  const steady = report?.inputs_per_second ?? trace.run.inputs_per_second, whole = report?.end_to_end_per_second ?? trace.run.end_to_end_per_second;
  const dram = trace.loads.filter((load) => load.kind === 'dram');
  const busiest = Math.max(0, ...dram.map((load) => load.busy.reduce((a, b) => a + b, 0) / Math.max(1, cycles)));
  const cores = new Set(trace.cores.map((row) => `${row[2]}-${row[3]}`)).size;
  return el('div', { class: 'cards', id: 'cards' },
    card('Time', seconds(cycles / clock / 1e6), [`${number(cycles)} cycles`, error].filter(Boolean).join(', ')),
    card('Steady rate', rate(steady), typeof steady === 'number' ? error || 'while the pipeline is full' : 'not known: too few inputs'),
    card('End to end', rate(whole), 'with loading, filling and host'),
    card('Math utilization', percent(meanShare(trace, 'math_utilization')), `of ${cores} cores in use`),
    card('Cores that compute', percent(meanShare(trace, 'utilization')), 'of all cores, at the speed of each epoch'),
    card('Busiest DRAM channel', percent(busiest), bytes(dram.reduce((sum, load) => sum + load.bytes, 0)) + ' in all channels'),
    trace.run.status === 'complete' ? null : card('Status', String(trace.run.status), String(trace.run.message ?? '')));
}

function advice(causes: AdviceCause[], openOp: (op: string) => void): HTMLElement {
  const list = el('ol', { id: 'advice' });
  for (const cause of causes) {
    const gain = cause.measured_gain ?? cause.gain;
    list.append(el('li', {}, el('b', {}, cause.place), ` (${cause.kind}): `,
      el('span', { class: 'gain' }, gain > 0.0005 ? `gain ${percent(gain)}` : 'no gain on its own'), cause.measured_gain === null ? ' (estimated)' : ' (simulated)',
      `, ${percent(cause.share)} of the time. `,
      cause.op === '' || cause.op.includes('*') ? null : el('button', { class: 'link', onclick: () => openOp(cause.op) }, `show ${cause.op}`),
      el('ul', {}, ...cause.remedies.slice(0, 3).map((remedy) => el('li', {}, remedy)))));
  }
  return causes.length > 0 ? list : el('p', { class: 'hint' }, 'No cause of lost time was found.');
}

function hostAndTransfers(run: Run, trace: Trace): HTMLElement {
  const box = el('div', { id: 'host' });
  const cycles = Math.max(1, Number(trace.run.cycles)), clock = Number(trace.run.clock_mhz);
  const seconds_ = run.report?.host_seconds;
  if (typeof seconds_ === 'number') box.append(el('p', {}, `Host steps take ${seconds(seconds_)}, ${percent(Number(run.report?.host_time_share ?? 0))} of the time.`));
  if (run.host_steps && run.host_steps.length > 0) box.append(el('ul', {}, ...run.host_steps.map((step) => el('li', {}, step))));
  const kinds: [string, string][] = [['pcie', 'host (PCIe)'], ['dram', 'DRAM'], ['ethernet', 'Ethernet'], ['noc', 'NoC links']];
  const rows = kinds.flatMap(([kind, name]): Row[] => {
    const loads = trace.loads.filter((load) => load.kind === kind);
    if (loads.length === 0) return [];
    const busy = loads.map((load) => load.busy.reduce((a, b) => a + b, 0) / cycles);
    const sum = loads.reduce((a, load) => a + load.bytes, 0);
    return [{ what: name, parts: loads.length, mb: sum / 1e6, rate: (sum / cycles) * clock / 1000, mean: busy.reduce((a, b) => a + b, 0) / busy.length, peak: Math.max(...busy) }];
  });
  box.append(table('transfers', [
    { key: 'what', title: 'over' }, { key: 'parts', title: 'in use' }, { key: 'mb', title: 'moved', unit: 'MB' }, { key: 'rate', title: 'on average', unit: 'GB/s' },
    { key: 'mean', title: 'busy, mean', share: true }, { key: 'peak', title: 'busy, busiest', share: true },
  ], rows));
  return box;
}

export function summaryPage(run: Run, links: SummaryLinks): HTMLElement {
  const page = el('div', {});
  const chip = run.machine?.chips[0], trace = run.trace;
  if (trace) {
    const clock = Number(trace.run.clock_mhz);
    const shares = epochShares(trace);
    page.append(cards(run, trace),
      el('h2', {}, 'Time of the cores by epoch and cause'), timeBars(shares, clock, links.openEpoch));
    page.append(el('div', { class: 'two' },
      el('section', { 'aria-label': 'advice' }, el('h2', {}, 'What to change first'), advice(trace.advice?.causes ?? [], links.openOp)),
      el('section', { 'aria-label': 'roofline' }, el('h2', {}, 'Roofline'), rooflineChart(roofline(trace, chip ? chip.rows.length * chip.columns.length : 1, chip?.dram_channels ?? 1), links.openOp))));
    page.append(el('h2', {}, 'Host and transfers'), hostAndTransfers(run, trace));
    const rows = sortedRows(trace.ops, 'bw_kernel', true).slice(0, 10).map(withGrid);
    page.append(el('h2', {}, 'Slowest ops'), table('slowest', opColumns.slice(0, 14), rows, (row) => links.openOp(String(row.op))));
  } else {
    page.append(el('p', { class: 'note' }, 'Without a trace there are no times. "ttsim run NETLIST --report PAGE.html" makes a page with them.'));
  }
  page.append(el('h2', {}, 'Inputs'), facts([
    ['files', run.files.join(', ')],
    ['command', trace?.run.command],
    ['status', trace?.run.status],
    ['message', trace?.run.message],
    ['mode', trace?.run.mode],
    ['chip', (run.arch ?? String(trace?.run.arch ?? '')) + (run.validated === false ? ' (not validated)' : '')],
    ['device', run.machine?.name],
    ['chips', run.machine?.chips.length],
    ['cores of a chip', chip && `${chip.rows.length} x ${chip.columns.length}`],
    ['clock', chip && `${chip.clock_mhz} MHz`],
    ['graphs', run.counts?.graphs],
    ['ops', run.counts?.ops],
    ['queues', run.counts?.queues],
    ['queues in DRAM', run.counts && bytes(run.counts.dram_queue_bytes)],
  ]));
  if (!trace && run.host_steps && run.host_steps.length > 0) page.append(el('h2', {}, 'Steps on the host'), el('ul', {}, ...run.host_steps.map((step) => el('li', {}, step))));
  for (const note of run.notes) page.append(el('p', { class: 'note' }, note));
  return page;
}
