// Memory use: L1 of the cores of an epoch, and DRAM of a channel over all epochs.
import { wordColour } from '../colour';
import type { Chip, Row, Run } from '../data';
import { choice, clear, el, svg } from '../dom';
import { bytes, hex } from '../format';
import { Model } from '../model';
import { table } from '../table';
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

export function memoryPage(run: Run, openOp: (op: string) => void): HTMLElement {
  const first = run.machine?.chips[0];
  if (!first) return el('p', { class: 'empty' }, 'There is no netlist in this run, so there are no buffers to show.');
  const model = new Model(run);
  const chips = run.machine?.chips ?? [];
  let chip: Chip = first, channel = 0, epoch = 0;
  const l1 = el('div'), dram = el('div');

  function drawL1(): void {
    clear(l1);
    const rows: Row[] = [];
    const width = 560, usable = chip.l1_bytes;
    const ops = (model.epochs[epoch]?.ops ?? []).filter((op) => op.chip === chip.id && !op.ethernet)
      .map((op) => ({ ...op, sum: op.l1.reduce((sum, [, size]) => sum + size, 0) })).sort((a, b) => b.sum - a.sum);
    const drawing = svg('svg', { width: width + 240, height: 22 * ops.length + 20, role: 'img', 'aria-label': 'L1 of each op' });
    ops.forEach((op, i) => {
      const y = 18 + 22 * i;
      let x = 220;
      const part = (what: string, size: number, colour: string) => {
        const w = (width * size) / usable;
        drawing.append(svg('rect', { x, y, width: Math.max(0.5, w), height: 17, fill: colour, 'data-l1': op.op, 'data-bytes': size }, svg('title', {}, `${op.op}: ${what}, ${bytes(size)}`)));
        x += w;
      };
      drawing.append(svg('text', { x: 0, y: y + 13 }, op.op.slice(0, 34)), svg('rect', { x, y, width, height: 17, fill: 'var(--unused)' }));
      part('firmware and tables', chip.l1_reserved, '#868e96');
      for (const [what, size] of op.l1) {
        part(what, size, wordColour(what));
        rows.push({ op: op.op, buffer: what, bytes: size, share: size / usable });
      }
    });
    l1.append(drawing, table('l1', [
      { key: 'op', title: 'op' }, { key: 'buffer', title: 'buffer of each core' }, { key: 'bytes', title: 'bytes' }, { key: 'share', title: 'of L1', share: true },
    ], rows.sort((a, b) => Number(b.bytes) - Number(a.bytes)), (row) => openOp(String(row.op))));
  }
  function drawDram(): void {
    clear(dram);
    const all = pieces(model, chip.id), here = all.filter((piece) => piece.channel === channel);
    const epochs = Math.max(1, model.epochs.length), width = 640, high = 300, left = 90;
    const top = Math.max(1, ...here.map((piece) => piece.address + piece.size)), bottom = Math.min(top - 1, ...here.map((piece) => piece.address));
    const y = (address: number) => 10 + high - (high * (address - bottom)) / (top - bottom);
    const drawing = svg('svg', { width: left + width + 10, height: high + 40, role: 'img', 'aria-label': `DRAM channel ${channel} over epochs` });
    drawing.append(svg('text', { x: 0, y: y(bottom) }, hex(bottom)), svg('text', { x: 0, y: y(top) + 8 }, hex(top)), svg('text', { x: left, y: high + 30 }, `epochs 0 to ${epochs - 1}; pale: allocated but not in use`));
    for (const piece of here) {
      const title = `${piece.queue}: ${hex(piece.address)} to ${hex(piece.address + piece.size)}, ${bytes(piece.size)}`;
      const place = { y: y(piece.address + piece.size), height: Math.max(1, y(piece.address) - y(piece.address + piece.size)), fill: wordColour(piece.queue) };
      drawing.append(svg('rect', { x: left, width, ...place, opacity: 0.25 }, svg('title', {}, title)));
      if (piece.used) drawing.append(svg('rect', { x: left + (width * piece.used[0]) / epochs, width: (width * (piece.used[1] - piece.used[0] + 1)) / epochs, ...place, 'data-queue': piece.queue }, svg('title', {}, title)));
    }
    const rows = all.map((piece): Row => ({ queue: piece.queue, channel: piece.channel, from: hex(piece.address), to: hex(piece.address + piece.size), bytes: piece.size, first: piece.used?.[0] ?? null, last: piece.used?.[1] ?? null }));
    dram.append(drawing, table('dram', [
      { key: 'queue', title: 'queue' }, { key: 'channel', title: 'channel' }, { key: 'from', title: 'from' }, { key: 'to', title: 'to' }, { key: 'bytes', title: 'bytes' }, { key: 'first', title: 'first epoch' }, { key: 'last', title: 'last epoch' },
    ], rows));
  }
  const channels = Array.from({ length: first.dram_channels }, (_, i): [string, string] => [String(i), String(i)]);
  drawL1();
  drawDram();
  return el('div', {},
    chips.length > 1 ? choice('Chip', 'chip', chips.map((c) => [String(c.id), String(c.id)]), '0', (value) => { chip = chips.find((c) => c.id === Number(value)) ?? chip; drawL1(); drawDram(); }) : null,
    el('h2', {}, 'L1 of a core, by op'), epochSlider(model, 0, (value) => { epoch = value; drawL1(); }).element, l1,
    el('h2', {}, 'DRAM over epochs'), choice('Channel', 'channel', channels, '0', (value) => { channel = Number(value); drawDram(); }), dram);
}
