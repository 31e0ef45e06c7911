// Placement: the grid of a chip in an epoch, and above it the buffers of its queues in DRAM.
import { causeColours, causeNames, legend, shareColour, wordColour } from '../colour';
import type { Chip, Op, Run } from '../data';
import { choice, clear, el, svg } from '../dom';
import { hex } from '../format';
import { causes, Model, type OpTime } from '../model';
import { details } from './details';
import { epochSlider } from './epoch_slider';
import type { CorePlace } from './time';

const cell = 74, high = 46, left = 44, barHigh = 14;
export type ColourBy = 'op' | 'busy' | 'cause';

/** Rows of the chip from the top: [NoC row, logical row or -1 if harvested]. */
export function gridRows(chip: Chip): [number, number][] {
  const rows = chip.rows.map((y, logical): [number, number] => [y, logical]);
  for (const y of chip.harvested_rows) rows.push([y, -1]);
  return rows.sort((a, b) => a[0] - b[0]);
}
/** Rows and columns of cores of an op. */
export function extent(op: Op): [number, number] {
  return op.transposed ? [op.grid[1], op.grid[0]] : op.grid;
}

export function addresses(model: Model, chip: Chip): [number, number] {
  let bottom = Infinity, top = 0;
  for (const queue of model.queues.values()) {
    if (queue.place !== 'dram' || queue.chip !== chip.id) continue;
    for (const [, address] of queue.buffers) {
      bottom = Math.min(bottom, address);
      top = Math.max(top, address + queue.buffer_bytes);
    }
  }
  return top > bottom ? [bottom, top] : [0, chip.dram_channel_bytes];
}

export function placementPage(run: Run, wanted: string, openCore: (core: CorePlace) => void): HTMLElement {
  const chips = run.machine?.chips ?? [];
  const first = chips[0];
  if (!first || !run.ops) return el('p', { class: 'empty' }, 'There is no netlist in this run, so nothing is placed.');
  const model = new Model(run);
  const found = model.ops.get(wanted);
  let epoch = model.epochOf.get(wanted) ?? 0;
  const busyChip = () => chips.find((c) => model.epochs[epoch]?.chips.includes(c.id)) ?? first;
  let chip = chips.find((c) => c.id === found?.chip) ?? busyChip();
  let colourBy: ColourBy = run.trace ? 'busy' : 'op';
  let pinned = found ? wanted : '';
  const drawing = el('div', { id: 'grid' }), side = el('div', { class: 'side' }), key = el('div');

  const take = (wanted: Chip) => {
    chip = wanted;
    const select = page.querySelector<HTMLSelectElement>('#chip');
    if (select) select.value = String(chip.id);
  };
  const open = (name: string) => {
    const at = model.epochOf.get(name);
    if (at !== undefined) { epoch = at; slider.set(at); }
    take(chips.find((c) => c.id === (model.ops.get(name) ?? model.queues.get(name))?.chip) ?? chip);
    pinned = name;
    draw();
  };
  function light(name: string, times: Map<string, OpTime>): void {
    for (const box of drawing.querySelectorAll<SVGElement>('[data-name]')) {
      const of = box.dataset.name ?? '';
      const isInput = model.into.get(name)?.some((e) => e.from === of) ?? false;
      const isOutput = model.outOf.get(name)?.some((e) => e.to === of) ?? false;
      box.dataset.lit = of === name ? 'self' : isInput ? 'input' : isOutput ? 'output' : '';
      box.setAttribute('stroke', of === name ? 'var(--fore)' : isInput ? 'var(--input)' : isOutput ? 'var(--output)' : 'var(--line)');
      box.setAttribute('stroke-width', box.dataset.lit === '' ? '1' : '3.5');
    }
    clear(side);
    side.append(name === '' ? el('p', { class: 'hint' }, 'Point at an op or a buffer; click to keep it selected.') : details(model, name, times.get(name), open));
  }
  function draw(): void {
    const times = model.times(epoch);
    clear(drawing);
    drawing.append(drawChip(model, chip, epoch, colourBy, times, (name) => light(name || pinned, times), (name) => { pinned = pinned === name ? '' : name; light(pinned, times); }, openCore));
    clear(key);
    key.append(legend(colourBy === 'cause' ? causes.map((c) => [causeNames[c], causeColours[c]]) : colourBy === 'busy' ? [['never busy', shareColour(0)], ['half of the time', shareColour(0.5)], ['always busy', shareColour(1)]] : [['a colour for each type of op', wordColour('matmul')]]));
    light(pinned, times);
  }
  const slider = epochSlider(model, epoch, (value) => {
    epoch = value;
    if (!model.epochs[epoch]?.chips.includes(chip.id)) take(busyChip());
    draw();
  });
  const colours: [string, string][] = run.trace ? [['busy', 'busy share'], ['cause', 'limiting cause'], ['op', 'type of op']] : [['op', 'type of op']];
  const page = el('div', {},
    el('div', { class: 'bar' },
      chips.length > 1 ? choice('Chip', 'chip', chips.map((c) => [String(c.id), `${c.id} (${c.arch})`]), String(chip.id), (value) => { chip = chips.find((c) => c.id === Number(value)) ?? chip; draw(); }) : null,
      choice('Colours', 'colours', colours, colourBy, (value) => { colourBy = value as ColourBy; draw(); }), slider.element),
    key, el('div', { class: 'split' }, el('div', { class: 'scroll' }, drawing), side));
  draw();
  return page;
}

function fill(op: Op, by: ColourBy, time: OpTime | undefined): string {
  if (by === 'op' || !time) return wordColour(op.type);
  return by === 'busy' ? shareColour(time.busyShare) : causeColours[time.limit];
}

function drawChip(model: Model, chip: Chip, epoch: number, by: ColourBy, times: Map<string, OpTime>, hover: (name: string) => void, pin: (name: string) => void, openCore: (core: CorePlace) => void): SVGElement {
  const rows = gridRows(chip);
  const barsTop = 18, gridTop = barsTop + chip.dram_channels * (barHigh + 3) + 24;
  const width = left + chip.columns.length * cell + 10;
  const drawing = svg('svg', { width, height: gridTop + rows.length * high + 10, role: 'img', 'aria-label': `chip ${chip.id} in epoch ${epoch}` });
  const boxOf = (name: string, x: number, y: number, w: number, h: number, colour: string, title: string) => {
    const box = svg('rect', { x, y, width: w, height: h, fill: colour, stroke: 'var(--line)', rx: 2, tabindex: 0, 'data-name': name }, svg('title', {}, title));
    box.addEventListener('pointerenter', () => hover(name));
    box.addEventListener('focus', () => hover(name));
    box.addEventListener('pointerleave', () => hover(''));
    box.addEventListener('click', () => pin(name));
    drawing.append(box);
  };
  // queues use a small part of memory: show the range from the lowest to the highest address in use
  const [bottom, top] = addresses(model, chip);
  drawing.append(svg('text', { x: left, y: 12 }, `DRAM channels, ${hex(bottom)} to ${hex(top)}`));
  const barWidth = width - left - 10;
  for (let channel = 0; channel < chip.dram_channels; ++channel) {
    const y = barsTop + channel * (barHigh + 3);
    drawing.append(svg('text', { x: 4, y: y + 11 }, `ch ${channel}`), svg('rect', { x: left, y, width: barWidth, height: barHigh, fill: 'var(--unused)' }));
    for (const queue of model.queues.values()) {
      if (queue.place !== 'dram' || queue.chip !== chip.id) continue;
      for (const [at, address] of queue.buffers) {
        if (at !== channel) continue;
        const w = Math.max(1.5, (barWidth * queue.buffer_bytes) / (top - bottom));
        boxOf(queue.name, left + (barWidth * (address - bottom)) / (top - bottom), y, w, barHigh, wordColour(queue.name), `${queue.name} ${hex(address)} to ${hex(address + queue.buffer_bytes)}`);
      }
    }
  }
  rows.forEach(([y, logical], i) => {
    drawing.append(svg('text', { x: 4, y: gridTop + i * high + high / 2 + 4 }, logical >= 0 ? `r ${logical}` : `y ${y}`));
    chip.columns.forEach((x, c) => drawing.append(svg('rect', {
      x: left + c * cell, y: gridTop + i * high, width: cell - 2, height: high - 2, class: logical < 0 ? 'harvested' : 'unused',
      fill: logical < 0 ? 'var(--back)' : 'var(--unused)', stroke: 'var(--line)', 'stroke-dasharray': logical < 0 ? '4 3' : '0',
    }, svg('title', {}, logical < 0 ? `harvested (NoC ${x}-${y})` : `core ${logical},${c} (NoC ${x}-${y})`))));
  });
  const placed = new Map(rows.map(([, logical], i) => [logical, i]));
  for (const { op: name, ethernet, chip: on } of model.epochs[epoch]?.ops ?? []) {
    const op = model.ops.get(name);
    if (!op?.at || ethernet || on !== chip.id) continue;
    const [r, c] = extent(op);
    const top = placed.get(op.at[0]) ?? 0, bottom = placed.get(op.at[0] + r - 1) ?? top;
    const x = left + op.at[1] * cell, y = gridTop + top * high;
    boxOf(name, x, y, c * cell - 2, (bottom - top + 1) * high - 2, fill(op, by, times.get(name)), `${name}: ${op.type}, ${op.grid[0]} x ${op.grid[1]}`);
    const most = Math.max(3, Math.floor((c * cell) / 7));
    drawing.append(svg('text', { x: x + 4, y: y + 15, style: 'fill:#111' }, name.length > most ? `${name.slice(0, most - 1)}\u2026` : name));
  }
  coreLinks(model, chip, epoch, (x, y) => [left + chip.columns.indexOf(x) * cell, gridTop + rows.findIndex(([row]) => row === y) * high], openCore, drawing);
  return drawing;
}

/** Adds a link from each core of the epoch to its time line. */
function coreLinks(model: Model, chip: Chip, epoch: number, at: (x: number, y: number) => [number, number], open: (core: CorePlace) => void, drawing: SVGElement): void {
  const of = model.traceEpoch(epoch);
  for (const one of model.run.trace?.series ?? []) {
    if (one.epoch !== of || one.chip !== chip.id || !chip.columns.includes(one.x) || !chip.rows.includes(one.y)) continue;
    const [x, y] = at(one.x, one.y);
    const go = () => open({ epoch: one.epoch, chip: one.chip, x: one.x, y: one.y });
    const link = svg('text', { x: x + cell - 6, y: y + high - 8, class: 'core', 'data-core': `${one.x}-${one.y}`, tabindex: 0, role: 'link' }, `${one.x}-${one.y}`, svg('title', {}, `time line of core ${one.x}-${one.y}`));
    link.addEventListener('click', go);
    link.addEventListener('keydown', (event) => { if ((event as KeyboardEvent).key === 'Enter') go(); });
    drawing.append(link);
  }
}
