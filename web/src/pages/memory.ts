// Memory use: L1 of the cores of an epoch, DRAM of a channel over all epochs, and the peak of each epoch.
import { byteTicks } from '../axis';
import { legend, wordColour } from '../colour';
import type { Chip, EpochOp, Row, Run } from '../data';
import { choice, clear, el, svg } from '../dom';
import { bytes, hex, percent } from '../format';
import { Model } from '../model';
import { shortNameOf } from '../names';
import type { State } from '../state';
import { table } from '../table';
import { tooltip } from '../tooltip';
import { epochSlider } from './epoch_slider';

export interface Piece {
  queue: string;
  channel: number;
  address: number;
  size: number;
  /** First and last epoch that uses it; undefined: none. */
  used: [number, number] | undefined;
}

export function pieces(model: Model, chip: number): Piece[] {
  const list: Piece[] = [];
  for (const queue of model.queues.values()) {
    if (queue.place !== 'dram' || queue.chip !== chip || queue.buffer_bytes === 0) continue;
    for (const [channel, address] of queue.buffers) list.push({ queue: queue.name, channel, address, size: queue.buffer_bytes, used: model.lifetime(queue.name) });
  }
  return list.sort((a, b) => b.size - a.size);
}

/** Ranges of addresses in use, from the lowest; a gap of more than an eighth of the used bytes starts a new one. */
export function regions(list: Piece[]): [from: number, to: number][] {
  const sorted = [...list].sort((a, b) => a.address - b.address);
  const used = sorted.reduce((sum, piece) => sum + piece.size, 0);
  const found: [number, number][] = [];
  for (const piece of sorted) {
    const last = found.at(-1), end = piece.address + piece.size;
    if (last && piece.address - last[1] <= used / 8) last[1] = Math.max(last[1], end);
    else found.push([piece.address, end]);
  }
  return found;
}

/** The buffer's name with what it holds: 'input 0: attn.q (matmul)'. */
export function bufferName(model: Model, op: string, what: string): string {
  const found = /^input (\d+)/.exec(what);
  if (!found) return what === 'output' ? `output: ${op}` : what;
  const from = model.ops.get(op)?.inputs[Number(found[1])]?.from;
  const source = from === undefined ? '' : model.ops.get(from)?.type ?? model.queues.get(from)?.type ?? '';
  return from === undefined ? what : `${what}: ${from}${source === '' ? '' : ` (${source})`}`;
}
/** Operands of the same number have the same colour in all ops. */
const bufferColour = (what: string): string => {
  const held = what.endsWith('held'), k = Number(/^input (\d+)/.exec(what)?.[1] ?? -1);
  const inputs = ['#56b4e9', '#e69f00', '#cc79a7', '#f0e442', '#0072b2', '#d55e00', '#9c4f96', '#7fc8b0'];
  if (k < 0) return what === 'output' ? '#009e73' : what === 'overlay' ? '#8a6d3b' : '#868e96';
  const colour = inputs[k % inputs.length] ?? '#56b4e9';
  return held ? `repeating-linear-gradient(45deg, ${colour} 0 4px, #fff6 4px 6px)` : colour;
};
const solid = (what: string) => (/#[0-9a-f]{6}/.exec(bufferColour(what))?.[0] ?? '#868e96');

const left = 220, width = 620, rowHigh = 22;

function l1Axis(usable: number, high: number): SVGElement[] {
  return byteTicks(0, usable, 8).flatMap((at) => {
    const x = left + (width * at) / usable;
    return [svg('line', { x1: x, x2: x, y1: 16, y2: high, class: 'rule' }), svg('text', { x, y: 12, 'text-anchor': 'middle' }, `${at / 1024} KiB`)];
  });
}
const sizeOf = (op: EpochOp) => op.l1.reduce((sum, [, size]) => sum + size, 0);

export function memoryPage(run: Run, state: State, openOp: (op: string) => void): HTMLElement {
  const first = run.machine?.chips[0];
  if (!first) return el('p', { class: 'empty' }, 'There is no netlist in this run, so there are no buffers to show.');
  const model = new Model(run);
  const chips = run.machine?.chips ?? [];
  let chip: Chip = chips.find((one) => one.id === state.number('chip')) ?? first, channel = state.number('channel') ?? 0;
  let epoch = Math.min(Math.max(0, model.epochs.length - 1), state.number('epoch') ?? 0);
  const l1 = el('div'), dram = el('div'), peaks = el('div');

  function drawL1(): void {
    clear(l1);
    const rows: Row[] = [];
    const usable = chip.l1_bytes;
    const ops = (model.epochs[epoch]?.ops ?? []).filter((op) => op.chip === chip.id && !op.ethernet)
      .map((op) => ({ ...op, sum: sizeOf(op) })).sort((a, b) => b.sum - a.sum);
    const high = rowHigh * ops.length + 20;
    const drawing = svg('svg', { width: left + width + 70, height: high, role: 'group', 'aria-label': 'L1 of each op' });
    const names = new Set<string>(['firmware and tables']);
    for (let i = 0; i < ops.length; ++i) drawing.append(svg('rect', { x: left, y: 18 + rowHigh * i, width, height: 17, fill: 'var(--unused)' }));
    drawing.append(...l1Axis(usable, high));
    ops.forEach((op, i) => {
      const y = 18 + rowHigh * i;
      let x = left;
      const part = (what: string, size: number) => {
        const w = (width * size) / usable, name = bufferName(model, op.op, what);
        names.add(what);
        const box = svg('rect', { x, y, width: Math.max(0.5, w), height: 17, fill: solid(what), 'fill-opacity': what.endsWith('held') ? 0.55 : 1, stroke: 'var(--back)', 'stroke-width': 0.5, 'data-l1': op.op, 'data-bytes': size });
        tooltip(box, op.op, () => [['buffer', name], ['size', bytes(size)], ['of L1', percent(size / usable)]]);
        drawing.append(box);
        x += w;
      };
      drawing.append(svg('text', { x: 0, y: y + 13 }, shortNameOf(op.op, 32)));
      part('firmware and tables', chip.l1_reserved);
      for (const [what, size] of op.l1) {
        part(what, size);
        rows.push({ op: op.op, buffer: bufferName(model, op.op, what), bytes: size, share: size / usable });
      }
      drawing.append(svg('text', { x: left + width + 6, y: y + 13 }, bytes(op.sum + chip.l1_reserved)));
    });
    l1.append(legend([...names].sort().map((what) => [what, bufferColour(what)]), 'Buffers of a core'), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'L1 by op' }, drawing), table('l1', [
      { key: 'op', title: 'op', name: true }, { key: 'buffer', title: 'buffer of each core' }, { key: 'bytes', title: 'size', unit: 'bytes' }, { key: 'share', title: 'of L1', share: true },
    ], rows.sort((a, b) => Number(b.bytes) - Number(a.bytes)), (row) => openOp(String(row.op))));
  }
  function drawRegion(here: Piece[], [bottom, top]: [number, number]): SVGElement {
    const epochs = Math.max(1, model.epochs.length), high = Math.min(300, Math.max(60, 18 * here.length)), from = 130;
    const y = (address: number) => 10 + high - (high * (address - bottom)) / (top - bottom);
    const drawing = svg('svg', { width: from + width + 20, height: high + 44, role: 'group', 'aria-label': `DRAM channel ${channel} over epochs, ${hex(bottom)} to ${hex(top)}` });
    for (const at of [bottom, ...byteTicks(bottom, top, Math.floor(high / 40)).filter((tick) => y(bottom) - y(tick) > 14 && y(tick) - y(top) > 14), top])
      drawing.append(svg('line', { x1: from - 4, x2: from + width, y1: y(at), y2: y(at), class: 'rule' }), svg('text', { x: from - 8, y: y(at) + 4, 'text-anchor': 'end' }, hex(at)));
    const every = Math.max(1, Math.ceil(epochs / 20));
    for (let i = 0; i < epochs; i += every) drawing.append(svg('text', { x: from + (width * (i + 0.5)) / epochs, y: high + 26, 'text-anchor': 'middle' }, String(i)));
    drawing.append(svg('text', { x: from + width / 2, y: high + 40, 'text-anchor': 'middle' }, `epoch; ${bytes(top - bottom)} of addresses; pale: allocated and not in use`));
    for (const piece of here) {
      const place = { y: y(piece.address + piece.size), height: Math.max(1, y(piece.address) - y(piece.address + piece.size)), fill: wordColour(piece.queue), stroke: 'var(--back)', 'stroke-width': 0.5 };
      const lines = (): [string, string][] => [['from', hex(piece.address)], ['to', hex(piece.address + piece.size)], ['size', bytes(piece.size)], ['epochs', piece.used ? `${piece.used[0]} to ${piece.used[1]}` : 'none']];
      const whole = svg('rect', { x: from, width, ...place, opacity: 0.25 });
      tooltip(whole, piece.queue, lines);
      drawing.append(whole);
      if (!piece.used) continue;
      const wide = (width * (piece.used[1] - piece.used[0] + 1)) / epochs, x = from + (width * piece.used[0]) / epochs;
      const used = svg('rect', { x, width: wide, ...place, 'data-queue': piece.queue });
      tooltip(used, piece.queue, lines);
      drawing.append(used);
      if (place.height >= 12 && wide > 40) drawing.append(svg('text', { x: x + 4, y: place.y + place.height / 2 + 4, style: 'fill:#111' }, shortNameOf(piece.queue, Math.floor(wide / 7))));
    }
    return drawing;
  }
  function drawDram(): void {
    clear(dram);
    const all = pieces(model, chip.id), here = all.filter((piece) => piece.channel === channel);
    const inside = (range: [number, number]) => here.filter((piece) => piece.address >= range[0] && piece.address < range[1]);
    const drawn = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'DRAM over epochs' }, ...regions(here).map((range) => drawRegion(inside(range), range)));
    const rows = all.map((piece): Row => ({ queue: piece.queue, channel: piece.channel, from: hex(piece.address), to: hex(piece.address + piece.size), bytes: piece.size, first: piece.used?.[0] ?? null, last: piece.used?.[1] ?? null }));
    dram.append(here.length > 0 ? drawn : el('p', { class: 'empty' }, 'This channel has no buffers.'), table('dram', [
      { key: 'queue', title: 'queue', name: true }, { key: 'channel', title: 'channel' }, { key: 'from', title: 'from', unit: 'address' }, { key: 'to', title: 'to', unit: 'address' }, { key: 'bytes', title: 'size', unit: 'bytes' }, { key: 'first', title: 'first epoch' }, { key: 'last', title: 'last epoch' },
    ], rows));
  }
  function drawPeaks(): void {
    clear(peaks);
    const all = pieces(model, chip.id), perChannel = new Map<number, number>();
    const rows = model.epochs.map((one, i): Row => {
      const ops = one.ops.filter((op) => op.chip === chip.id && !op.ethernet), fullest = [...ops].sort((a, b) => sizeOf(b) - sizeOf(a))[0];
      perChannel.clear();
      for (const piece of all) if (piece.used && piece.used[0] <= i && i <= piece.used[1]) perChannel.set(piece.channel, (perChannel.get(piece.channel) ?? 0) + piece.size);
      const l1Bytes = fullest ? sizeOf(fullest) + chip.l1_reserved : 0;
      return { epoch: i, graphs: one.graphs.join(', '), op: fullest?.op ?? null, l1: l1Bytes, share: l1Bytes / chip.l1_bytes, dram: [...perChannel.values()].reduce((a, b) => a + b, 0), channel: Math.max(0, ...perChannel.values()) };
    });
    peaks.append(table('peaks', [
      { key: 'epoch', title: 'epoch' }, { key: 'graphs', title: 'graphs', name: true }, { key: 'op', title: 'op with most L1', name: true }, { key: 'l1', title: 'L1 of a core', unit: 'bytes' }, { key: 'share', title: 'of L1', share: true },
      { key: 'dram', title: 'DRAM in use', unit: 'bytes' }, { key: 'channel', title: 'fullest channel', unit: 'bytes' },
    ], rows, (row) => { epoch = Number(row.epoch); slider.set(epoch); state.set({ epoch }); drawL1(); }));
  }
  const channels = Array.from({ length: first.dram_channels }, (_, i): [string, string] => [String(i), String(i)]);
  const slider = epochSlider(model, epoch, (value) => { epoch = value; state.set({ epoch: value }); drawL1(); });
  const draw = () => { drawPeaks(); drawL1(); drawDram(); };
  draw();
  return el('div', {},
    chips.length > 1 ? choice('Chip', 'chip', chips.map((c) => [String(c.id), String(c.id)]), String(chip.id), (value) => { chip = chips.find((c) => c.id === Number(value)) ?? chip; state.set({ chip: value }); draw(); }) : null,
    el('h2', {}, 'Peak of each epoch'), peaks,
    el('h2', {}, 'L1 of a core, by op'), slider.element, l1,
    el('h2', {}, 'DRAM over epochs'), choice('Channel', 'channel', channels, String(channel), (value) => { channel = Number(value); state.set({ channel: value }); drawDram(); }), dram);
}
