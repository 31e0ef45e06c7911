// The run over time: lanes of epochs, ops or cores, DRAM, NoC, Ethernet and the host.
import { legend, partEntries, partNames, partStyles, shareLegend } from '../colour';
import type { Run } from '../data';
import { choice, clear, el } from '../dom';
import { bytes, cyclesAsTime, number, percent } from '../format';
import { causes } from '../model';
import { loadShare } from '../shares';
import type { State } from '../state';
import { lanesInWindow, lanesOf, mostOpLanes, placeOf, sumsOf, type Lane, type Rows } from '../time/lanes';
import { TimeView } from '../time/view';

export interface CorePlace {
  epoch: number;
  chip: number;
  x: number;
  y: number;
}

export function timePage(run: Run, state: State, openOp: (op: string) => void): HTMLElement {
  const trace = run.trace;
  if (!trace) return el('p', { class: 'empty' }, 'The time page needs a trace: "ttsim run NETLIST --report PAGE.html" makes a page with one.');
  const clock = Number(trace.run.clock_mhz), length = Math.max(1, Number(trace.run.cycles));
  // runs of many ops start with their cores, which all epochs share
  const usual: Rows = new Set(trace.series.map((one) => one.op)).size > mostOpLanes ? 'cores' : 'ops';
  let rows = (state.get('rows') as Rows | undefined) ?? usual;
  let core = state.get('x') !== undefined ? `${state.get('chip') ?? '0'}:${state.get('x')}-${state.get('y')}` : (state.get('core') ?? '');
  const closed = new Set<string>(['NoC links']);
  let all: Lane[] = [], lanes: Lane[] = [];
  const said = el('p', { id: 'window', class: 'hint' }), sums = el('div', { id: 'sums', role: 'status' });
  const work = new Map((trace.work ?? []).map((row) => [`${row[0]} ${row[1]}`, row]));
  const inputs = new Map(trace.ops.map((row) => [`${row.epoch} ${row.op}`, Number(row.inputs)]));

  const view = new TimeView(length, Math.max(1, trace.bucket_cycles), clock, {
    window: (from, to) => {
      say(from, to);
      filter();
      state.set(from === 0 && to === length ? { from: undefined, to: undefined, epoch: undefined } : { from: Math.round(from), to: Math.round(to), epoch: undefined });
    },
    select: (selection) => showSums(selection),
    open: (lane) => {
      if (lane.kind === 'title') { if (closed.has(lane.group)) closed.delete(lane.group); else closed.add(lane.group); show(); }
      else if (lane.kind === 'core' && lane.segments[0]) openOp(lane.segments[0].series.op);
    },
    bytes: (op, epoch) => {
      const row = work.get(`${epoch} ${op}`), count = Math.max(1, inputs.get(`${epoch} ${op}`) ?? 1);
      return row ? `${bytes(Math.round(row[4] / count))} in, ${bytes(Math.round(row[5] / count))} out per input of the op` : '-';
    },
  });
  function say(from: number, to: number): void {
    said.textContent = `cycles ${number(Math.round(from))} to ${number(Math.round(to))} of ${number(length)}; ${cyclesAsTime(from, clock)} to ${cyclesAsTime(to, clock)}`;
  }
  function showSums(selection: [number, number] | undefined): void {
    clear(sums);
    if (!selection || !trace) return;
    const [from, to] = selection, parts = sumsOf(lanes, from, to), count = lanes.filter((lane) => lane.kind === 'core' && !lane.only).length;
    const whole = Math.max(1, (to - from) * count), idle = Math.max(0, whole - parts.reduce((a, b) => a + b, 0));
    const dram = trace.loads.filter((load) => load.kind === 'dram');
    const moved = dram.reduce((sum, load) => sum + loadShare(load, trace.bucket_cycles, from, to) * (to - from) * load.bytes_per_cycle, 0);
    sums.append(el('b', {}, `Selected: ${number(Math.round(to - from))} cycles, ${cyclesAsTime(to - from, clock)}, ${count} lanes. `),
      [...causes.map((cause, i): [string, number] => [partStyles[cause].name, parts[i] ?? 0]), ['idle', idle] as [string, number]]
        .filter(([, cycles]) => cycles / whole > 0.0005).map(([name, cycles]) => `${name} ${percent(cycles / whole)}`).join(', '),
      `. DRAM about ${bytes(Math.round(moved))}. `, el('button', { onclick: () => view.zoomToSelection() }, 'Zoom to it (s)'));
  }
  function show(): void {
    all = lanesOf(trace as NonNullable<typeof trace>, rows, core, closed);
    filter();
  }
  function filter(): void {
    const next = lanesInWindow(all, view.from, view.to);
    if (next === lanes || (next.length === lanes.length && next.every((lane, i) => lane === lanes[i]))) return;
    lanes = next;
    view.show(lanes);
  }
  const spans = trace.epochs.map((row): [string, string] => [String(row.epoch), `${row.epoch}: ${row.graphs}`]);
  const toEpoch = (value: string) => {
    const row = trace.epochs.find((one) => String(one.epoch) === value);
    if (row) view.setWindow(Number(row.start), Number(row.start) + Number(row.cycles));
    else view.fit();
    state.set({ epoch: row ? value : undefined });
  };
  const several = new Set(trace.series.map((one) => one.chip)).size > 1;
  const cores = new Map(trace.series.map((one) => [placeOf(one), `${several ? `chip ${one.chip} ` : ''}${one.x}-${one.y}: ${one.op}`]));
  if (core !== '' && !cores.has(core)) core = '';
  const epoch = state.get('epoch') ?? '';
  const used = partNames.filter((part) => part === 'idle' || trace.cores.some((row) => Number(row[6 + causes.indexOf(part)]) > 0));
  const page = el('div', {},
    el('div', { class: 'bar' },
      choice('Epoch', 'time-epoch', [['', 'whole run'], ...spans], epoch, toEpoch),
      choice('Lanes', 'time-rows', [['ops', 'slowest core of each op'], ['cores', 'all cores']], rows, (value) => { rows = value as Rows; state.set({ rows: value === usual ? undefined : value }); show(); }),
      choice('Core', 'time-core', [['', 'all'], ...cores], core, (value) => { core = value; state.set({ core: value, x: undefined, y: undefined, chip: undefined }); show(); }),
      el('button', { onclick: () => view.zoom(0.7), 'aria-label': 'zoom in' }, '+'), el('button', { onclick: () => view.zoom(1.4), 'aria-label': 'zoom out' }, '-'), el('button', { id: 'time-fit', onclick: () => view.fit() }, 'Fit')),
    legend(partEntries(used), 'Cores'), shareLegend('Links and channels: busy'),
    el('p', { class: 'hint' }, 'Ctrl and the wheel zoom, Shift and dragging move, dragging selects, a click on a lane opens its op, on a title closes its lanes. Parts of an input are drawn in order of cause, not at the time when they occurred. Inputs narrower than two pixels are blocks with a stripe for each cause.'),
    said, view.box, sums);
  const from = state.number('from'), to = state.number('to');
  // the canvas has no size before it is on the page
  requestAnimationFrame(() => {
    show();
    if (epoch !== '') toEpoch(epoch);
    else if (from !== undefined && to !== undefined) view.setWindow(from, to);
  });
  say(0, length);
  return page;
}
