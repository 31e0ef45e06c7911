// Placement: the grid of a chip in an epoch, and above it the buffers of its queues in DRAM.
import { legend, partDefs, partEntries, partUrl, shareColour, shareInk, shareLegend, wordColour, type Part } from '../colour';
import type { Chip, Load, Op, Run } from '../data';
import { choice, clear, el, svg } from '../dom';
import { bytes, hex, number, percent } from '../format';
import { causes, Model, type OpTime } from '../model';
import { Names } from '../names';
import { loadShare } from '../shares';
import type { State } from '../state';
import { tooltip } from '../tooltip';
import { details } from './details';
import { epochSlider } from './epoch_slider';
import { pieces, regions, type Piece } from './memory';
import type { CorePlace } from './time';

const cell = 74, high = 46, left = 44, barHigh = 14, barsTop = 18;
export type ColourBy = 'op' | 'busy' | 'cause' | 'noc0' | 'noc1';

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

export function placementPage(run: Run, state: State, openCore: (core: CorePlace) => void): HTMLElement {
  const chips = run.machine?.chips ?? [];
  const first = chips[0];
  if (!first || !run.ops) return el('p', { class: 'empty' }, 'There is no netlist in this run, so nothing is placed.');
  const model = new Model(run);
  const wanted = state.get('op') ?? '';
  const found = model.ops.get(wanted) ?? model.queues.get(wanted);
  let epoch = Math.min(Math.max(0, model.epochs.length - 1), state.number('epoch') ?? model.epochOf.get(wanted) ?? model.lifetime(wanted)?.[0] ?? 0);
  const busyChip = () => chips.find((c) => model.epochs[epoch]?.chips.includes(c.id)) ?? first;
  let chip = chips.find((c) => c.id === (state.number('chip') ?? found?.chip)) ?? busyChip();
  let colourBy: ColourBy = (state.get('colours') as ColourBy | undefined) ?? (run.trace ? 'busy' : 'op');
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
    state.set({ op: name, epoch: undefined });
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
    frameRoutes(drawing, model, chip, colourBy, name);
    clear(side);
    side.append(name === '' ? el('p', { class: 'hint' }, 'Point at an op or a buffer; click to keep it selected.') : details(model, name, times.get(name), open));
  }
  function draw(): void {
    const times = model.times(epoch);
    clear(drawing);
    drawing.append(drawChip(model, chip, epoch, colourBy, times, (name) => light(name || pinned, times), (name) => { pinned = pinned === name ? '' : name; state.set({ op: pinned }); light(pinned, times); }, openCore));
    clear(key);
    const here = (model.epochs[epoch]?.ops ?? []).filter((one) => one.chip === chip.id).flatMap((one) => model.ops.get(one.op) ?? []);
    const types = [...new Set(here.map((op) => op.type))].sort();
    key.append(colourBy === 'cause' ? legend(partEntries(causes), 'Most cycles of the op')
      : colourBy === 'busy' ? shareLegend('Busy share of the cores of an op')
        : colourBy === 'op' ? legend(types.map((type) => [type, wordColour(type)]), 'Type of op')
          : shareLegend(`Links of ${colourBy === 'noc0' ? 'NoC 0' : 'NoC 1'}: share of the epoch in which each is busy`));
    key.append(legend([['unused core', 'var(--unused)'], ['harvested', 'repeating-linear-gradient(45deg, var(--back) 0 3px, var(--line) 3px 4px)'], ['inputs of the selected op', 'var(--input)'], ['its outputs', 'var(--output)']]));
    light(pinned, times);
  }
  const slider = epochSlider(model, epoch, (value) => {
    epoch = value;
    state.set({ epoch: value });
    if (!model.epochs[epoch]?.chips.includes(chip.id)) take(busyChip());
    draw();
  });
  const colours: [string, string][] = run.trace ? [['busy', 'busy share'], ['cause', 'limiting cause'], ['op', 'type of op'], ['noc0', 'links of NoC 0'], ['noc1', 'links of NoC 1']] : [['op', 'type of op']];
  const page = el('div', {},
    el('div', { class: 'bar' },
      chips.length > 1 ? choice('Chip', 'chip', chips.map((c) => [String(c.id), `${c.id} (${c.arch})`]), String(chip.id), (value) => { chip = chips.find((c) => c.id === Number(value)) ?? chip; draw(); }) : null,
      choice('Colours', 'colours', colours, colourBy, (value) => { colourBy = value as ColourBy; state.set({ colours: value }); draw(); }), slider.element),
    key, el('div', { class: 'split' }, el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'grid of the chip' }, drawing), side));
  draw();
  return page;
}

function fill(op: Op, by: ColourBy, time: OpTime | undefined): string {
  if (by === 'op' || !time) return wordColour(op.type);
  return by === 'busy' ? shareColour(time.busyShare) : by === 'cause' ? partUrl(time.limit as Part) : 'var(--panel)';
}

/** Of text on the colour of an op. */
function inkOn(by: ColourBy, time: OpTime | undefined): string {
  if (by === 'noc0' || by === 'noc1') return 'var(--fore)';
  return by === 'busy' ? shareInk(time?.busyShare ?? 0) : '#111';
}

function drawChip(model: Model, chip: Chip, epoch: number, by: ColourBy, times: Map<string, OpTime>, hover: (name: string) => void, pin: (name: string) => void, openCore: (core: CorePlace) => void): SVGElement {
  const rows = gridRows(chip);
  const gridTop = barsTop + chip.dram_channels * (barHigh + 3) + 24;
  const width = left + chip.columns.length * cell + 10;
  const drawing = svg('svg', { width, height: gridTop + rows.length * high + 10, role: 'group', 'aria-label': `chip ${chip.id} in epoch ${epoch}` }, partDefs());
  const boxOf = (name: string, x: number, y: number, w: number, h: number, colour: string, title: string) => {
    const box = svg('rect', { x, y, width: w, height: h, fill: colour, stroke: 'var(--line)', rx: 2, tabindex: 0, role: 'button', 'aria-label': title, 'data-name': name }, svg('title', {}, title));
    box.addEventListener('pointerenter', () => hover(name));
    box.addEventListener('focus', () => hover(name));
    box.addEventListener('pointerleave', () => hover(''));
    box.addEventListener('click', () => pin(name));
    drawing.append(box);
  };
  drawDram(pieces(model, chip.id), chip.dram_channels, width - left - 10, drawing, (piece, x, y, w) =>
    boxOf(piece.queue, x, y, w, barHigh, wordColour(piece.queue), `${piece.queue} ${hex(piece.address)} to ${hex(piece.address + piece.size)}`));
  chip.columns.forEach((x, c) => drawing.append(svg('text', { x: left + c * cell + cell / 2, y: gridTop - 6, 'text-anchor': 'middle' }, `c ${c} (x ${x})`)));
  rows.forEach(([y, logical], i) => {
    drawing.append(svg('text', { x: 4, y: gridTop + i * high + high / 2 + 4 }, logical >= 0 ? `r ${logical}` : `y ${y}`));
    chip.columns.forEach((x, c) => drawing.append(svg('rect', {
      x: left + c * cell, y: gridTop + i * high, width: cell - 2, height: high - 2, class: logical < 0 ? 'harvested' : 'unused',
      fill: logical < 0 ? 'var(--back)' : 'var(--unused)', stroke: 'var(--line)', 'stroke-dasharray': logical < 0 ? '4 3' : '0',
    }, svg('title', {}, logical < 0 ? `harvested (NoC ${x}-${y})` : `core ${logical},${c} (NoC ${x}-${y})`))));
  });
  const placed = new Map(rows.map(([, logical], i) => [logical, i]));
  const here = (model.epochs[epoch]?.ops ?? []).filter(({ ethernet, chip: on }) => !ethernet && on === chip.id);
  const names = new Names(here.map(({ op }) => op));
  for (const { op: name } of here) {
    const op = model.ops.get(name);
    if (!op?.at) continue;
    const [r, c] = extent(op);
    const top = placed.get(op.at[0]) ?? 0, bottom = placed.get(op.at[0] + r - 1) ?? top;
    const x = left + op.at[1] * cell, y = gridTop + top * high;
    boxOf(name, x, y, c * cell - 2, (bottom - top + 1) * high - 2, fill(op, by, times.get(name)), `${name}: ${op.type}, ${op.grid[0]} x ${op.grid[1]}`);
    const most = Math.max(3, Math.floor((c * cell - 8) / 6.8));
    drawing.append(svg('text', { x: x + 4, y: y + 15, style: `fill:${inkOn(by, times.get(name))}` }, names.short(name, (text) => text.length <= most)));
  }
  if (by === 'noc0' || by === 'noc1') drawLinks(model, chip, epoch, by === 'noc0' ? 0 : 1, (x, y) => [left + chip.columns.indexOf(x) * cell, gridTop + rows.findIndex(([row]) => row === y) * high], drawing);
  coreLinks(model, chip, epoch, (x, y) => [left + chip.columns.indexOf(x) * cell, gridTop + rows.findIndex(([row]) => row === y) * high], (op) => inkOn(by, times.get(op)), openCore, drawing);
  return drawing;
}

/** A bar for each DRAM channel. Buffers use a small part of the addresses: only the regions in use are drawn, side by side. */
function drawDram(list: Piece[], channels: number, width: number, drawing: SVGElement, box: (piece: Piece, x: number, y: number, w: number) => void): void {
  const ranges = regions(list), gap = 8;
  const used = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
  const free = width - gap * Math.max(0, ranges.length - 1);
  const least = Math.min(40, free / Math.max(1, ranges.length)), shared = free - least * ranges.length;
  drawing.append(svg('text', { x: 4, y: 12 }, 'DRAM'));
  const top = (channel: number) => barsTop + channel * (barHigh + 3);
  for (let channel = 0; channel < channels; ++channel) drawing.append(svg('text', { x: 4, y: top(channel) + 11 }, `ch ${channel}`));
  let x = left;
  for (const [from, to] of ranges.length > 0 ? ranges : [[0, 0] as [number, number]]) {
    const wide = ranges.length > 0 ? least + (shared * (to - from)) / used : width, scale = wide / Math.max(1, to - from);
    for (let channel = 0; channel < channels; ++channel) drawing.append(svg('rect', { x, y: top(channel), width: wide, height: barHigh, fill: 'var(--unused)' }));
    const said = to === from ? 'no buffers' : `${hex(from)}, ${bytes(to - from)}`;
    if (said.length * 7 <= wide) drawing.append(svg('text', { x, y: 12 }, said));
    for (const piece of list)
      if (piece.address >= from && piece.address < to && piece.channel < channels) box(piece, x + (piece.address - from) * scale, top(piece.channel), Math.max(1.5, piece.size * scale));
    x += wide + gap;
  }
}

/** NoC links that leave a core, coloured by their use in the epoch. */
function drawLinks(model: Model, chip: Chip, epoch: number, noc: number, at: (x: number, y: number) => [number, number], drawing: SVGElement): void {
  const trace = model.run.trace, row = trace?.epochs.find((one) => Number(one.epoch) === model.traceEpoch(epoch));
  if (!trace || !row) return;
  const from = Number(row.start), to = from + Number(row.cycles);
  for (const load of trace.loads) {
    if (load.kind !== 'noc' || load.noc !== noc || load.chip !== chip.id || !load.at) continue;
    const [x, y] = load.at;
    if (!chip.columns.includes(x) || ![...chip.rows, ...chip.harvested_rows].includes(y)) continue;
    const share = loadShare(load, trace.bucket_cycles, from, to);
    if (share > 0.0005) drawing.append(linkArrow(load, at(x, y), share, () => [['busy', percent(share)], ['bytes of the run', number(load.bytes)]]));
  }
}
/** Frames the links of the pipes of an op, which a trace of level 2 has, and makes the others pale. */
function frameRoutes(drawing: HTMLElement, model: Model, chip: Chip, by: ColourBy, name: string): void {
  const noc = by === 'noc0' ? 0 : by === 'noc1' ? 1 : -1;
  const used = new Set<string>();
  for (const route of model.run.trace?.routes ?? [])
    if (route.chip === chip.id && route.noc === noc && name !== '' && [route.op, route.from, route.queue].includes(name)) for (const [x, y, direction] of route.links) used.add(`${x} ${y} ${direction}`);
  for (const arrow of drawing.querySelectorAll<SVGElement>('[data-link]')) {
    const on = used.has(arrow.dataset.at ?? '');
    arrow.dataset.routed = on ? 'yes' : '';
    arrow.setAttribute('stroke-width', on ? '2' : '0.6');
    arrow.setAttribute('opacity', on || used.size === 0 ? '1' : '0.25');
  }
}
/** An arrow at the edge of the core where the link leaves it; links to and from the core's own port are in its corners. */
function linkArrow(load: Load, [left_, top]: [number, number], share: number, lines: () => [string, string][]): SVGElement {
  const w = cell - 2, h = high - 2, size = 4 + 5 * Math.sqrt(share);
  const places: Record<string, [x: number, y: number, angle: number]> = {
    right: [left_ + w, top + h * 0.35, 0], left: [left_, top + h * 0.65, 180], down: [left_ + w * 0.62, top + h, 90], up: [left_ + w * 0.38, top, 270],
    in: [left_ + 10, top + h - 9, 45], out: [left_ + w - 10, top + 10, 45],
  };
  const [x, y, angle] = places[load.direction ?? ''] ?? [left_ + w / 2, top + h / 2, 0];
  const arrow = svg('path', { d: `M${-size} ${-size * 0.7} L${size} 0 L${-size} ${size * 0.7} Z`, transform: `translate(${x} ${y}) rotate(${angle})`, fill: shareColour(share), stroke: 'var(--fore)', 'stroke-width': 0.6, 'data-link': load.name, 'data-at': `${load.at?.join(' ')} ${load.direction}` });
  tooltip(arrow, load.name, lines);
  return arrow;
}

/** Adds a link from each core of the epoch to its time line. */
function coreLinks(model: Model, chip: Chip, epoch: number, at: (x: number, y: number) => [number, number], ink: (op: string) => string, open: (core: CorePlace) => void, drawing: SVGElement): void {
  const of = model.traceEpoch(epoch);
  for (const [epochOf, op, col, row] of model.run.trace?.cores ?? []) {
    if (epochOf !== of || model.ops.get(op)?.chip !== chip.id || !chip.columns.includes(col) || !chip.rows.includes(row)) continue;
    const [x, y] = at(col, row);
    const go = () => open({ epoch: epochOf, chip: chip.id, x: col, y: row });
    const link = svg('text', { x: x + cell - 6, y: y + high - 8, class: 'core', style: `fill:${ink(op)}`, 'data-core': `${col}-${row}`, tabindex: 0, role: 'link' }, `${col}-${row}`, svg('title', {}, `time line of core ${col}-${row}`));
    link.addEventListener('click', go);
    link.addEventListener('keydown', (event) => { if ((event as KeyboardEvent).key === 'Enter') go(); });
    drawing.append(link);
  }
}
