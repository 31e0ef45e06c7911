// Draws lanes over time on a canvas that stays in sight while its box scrolls; only the lanes in sight are drawn.
import { ticks } from '../axis';
import type { Series } from '../data';
import { partFill, partStyles, shareColour, themed } from '../colour';
import { el } from '../dom';
import { cyclesAsTime, number, percent } from '../format';
import { causes } from '../model';
import { shortName } from '../names';
import { drawnOrder, inputsOf, type Input } from '../series';
import { hideTooltip, showTooltip } from '../tooltip';
import { Blocks } from './blocks';
import type { Lane, Segment } from './lanes';

export const rowHigh = 18, axisHigh = 36;
/** Wide enough for names of ops, narrower on a phone. */
const namesWide = (width: number) => Math.min(230, Math.round(width * 0.32));

export interface TimeEvents {
  /** The window changed. */
  window: (from: number, to: number) => void;
  /** Two cycles, or undefined without a selection. */
  select: (selection: [number, number] | undefined) => void;
  /** A click on a lane without a selection. */
  open: (lane: Lane) => void;
  bytes: (op: string, epoch: number) => string;
}

/** Pixels below which a core's time in an epoch is one block. */
const tinySegment = 6;
const sums = new WeakMap<Series, Input>();
/** All inputs of a core in an epoch as one. */
function sumOf(series: Series): Input {
  const known = sums.get(series);
  if (known) return known;
  const parts = causes.map(() => 0);
  for (const row of series.series) {
    const start = Number(row[4] ?? 0), one = inputsOf({ ...series, series: [row] }, start, start, 1)[0];
    one?.parts.forEach((cycles, i) => { parts[i] = (parts[i] ?? 0) + cycles * Number(row[1] ?? 1); });
  }
  const sum = { input: 0, start: series.start, end: series.end, parts };
  sums.set(series, sum);
  return sum;
}

const firsts = new WeakMap<readonly (number | null)[], Input>();
/** The first input of a row of a series. */
function firstInput(series: Series, row: (number | null)[]): Input {
  const known = firsts.get(row);
  if (known) return known;
  const start = Number(row[4] ?? 0);
  const input = inputsOf({ ...series, series: [row] }, start, start, 1)[0] ?? { input: 0, start, end: start, parts: [] };
  firsts.set(row, input);
  return input;
}

interface Hit {
  title: string;
  lines: [string, string][];
}

export class TimeView {
  readonly box: HTMLElement;
  readonly canvas = el('canvas', { id: 'gantt', tabindex: 0, role: 'application', 'aria-label': 'lanes over time; arrows move, plus and minus zoom, f shows all' });
  private readonly spacer = el('div');
  private readonly blocks = new Blocks();
  /** Labels of lanes, shortened to `labelWidth` pixels. */
  private readonly labels = new Map<string, string>();
  private labelWidth = 0;
  private lanes: Lane[] = [];
  private selection: [number, number] | undefined;
  /** Of the drawing in progress: pixels of the names, and of the screen to one of the page. */
  private left = 0;
  private ratio = 1;
  from = 0;
  to: number;

  constructor(readonly length: number, private readonly bucket: number, private readonly clockMhz: number, private readonly events: TimeEvents) {
    this.to = length;
    this.box = el('div', { class: 'lanes' }, this.spacer);
    this.spacer.append(this.canvas);
    this.box.addEventListener('scroll', () => this.draw());
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  show(lanes: Lane[]): void {
    this.lanes = lanes;
    this.spacer.style.height = `${lanes.length * rowHigh + axisHigh}px`;
    this.box.style.maxHeight = 'max(240px, 68vh)';
    this.box.style.height = `${lanes.length * rowHigh + axisHigh + 2}px`;
    this.draw();
  }
  setWindow(a: number, b: number): void {
    const size = Math.max(10, Math.min(this.length, b - a));
    this.from = Math.max(0, Math.min(this.length - size, a));
    this.to = this.from + size;
    this.events.window(this.from, this.to);
    this.draw();
  }
  fit(): void { this.setWindow(0, this.length); }
  zoom(by: number, px = this.canvas.clientWidth / 2): void {
    const at = this.cycleAt(px);
    this.setWindow(at - (at - this.from) * by, at + (this.to - at) * by);
  }
  select(selection: [number, number] | undefined): void {
    this.selection = selection;
    this.events.select(selection);
    this.draw();
  }
  zoomToSelection(): void { if (this.selection) this.setWindow(...this.selection); }

  private get names(): number { return namesWide(this.canvas.clientWidth); }
  private cycleAt(px: number): number {
    const names = this.names;
    return this.from + ((this.to - this.from) * Math.max(0, Math.min(1, (px - names) / Math.max(1, this.canvas.clientWidth - names))));
  }
  private laneAt(py: number): Lane | undefined {
    return py < axisHigh ? undefined : this.lanes[Math.floor((py - axisHigh + this.box.scrollTop) / rowHigh)];
  }

  private listen(): void {
    let drag: { x: number; cycle: number; moved: boolean; pan: boolean; from: number } | null = null;
    const { canvas } = this;
    canvas.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.metaKey) return;  // the page scrolls
      e.preventDefault();
      this.zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY)) / 250), e.offsetX);
    }, { passive: false });
    canvas.addEventListener('pointerdown', (e) => {
      drag = { x: e.offsetX, cycle: this.cycleAt(e.offsetX), moved: false, pan: e.shiftKey || e.button === 1, from: this.from };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (!drag) { this.hover(e); return; }
      if (Math.abs(e.offsetX - drag.x) < 4 && !drag.moved) return;
      drag.moved = true;
      hideTooltip();
      if (drag.pan) {
        const by = ((drag.x - e.offsetX) * (this.to - this.from)) / Math.max(1, canvas.clientWidth - this.names);
        this.setWindow(drag.from + by, drag.from + by + this.to - this.from);
      } else {
        const other = this.cycleAt(e.offsetX);
        this.selection = [Math.min(drag.cycle, other), Math.max(drag.cycle, other)];
        this.draw();
      }
    });
    canvas.addEventListener('pointerup', (e) => {
      const done = drag;
      drag = null;
      if (!done) return;
      if (done.moved) { if (!done.pan) this.select(this.selection); return; }
      const lane = this.laneAt(e.offsetY);
      if (this.selection) this.select(undefined);
      else if (lane) this.events.open(lane);
    });
    canvas.addEventListener('pointerleave', hideTooltip);
    canvas.addEventListener('keydown', (e) => {
      const step = (this.to - this.from) / 5;
      if (e.key === '+') this.zoom(0.8);
      else if (e.key === '-') this.zoom(1.25);
      else if (e.key === 'f') this.fit();
      else if (e.key === 's') this.zoomToSelection();
      else if (e.key === 'ArrowLeft') this.setWindow(this.from - step, this.to - step);
      else if (e.key === 'ArrowRight') this.setWindow(this.from + step, this.to + step);
      else if (e.key === 'Escape') this.select(undefined);
      else return;
      e.preventDefault();
    });
  }

  private hover(e: PointerEvent): void {
    const lane = this.laneAt(e.offsetY);
    const hit = !lane ? undefined : e.offsetX > this.names ? this.hit(lane, this.cycleAt(e.offsetX), e.offsetY) : { title: lane.label, lines: [] };
    if (hit) showTooltip(e.clientX, e.clientY, hit.title, hit.lines);
    else hideTooltip();
  }
  private when(start: number, length: number): [string, string][] {
    return [['start', `${number(Math.round(start))} cycles, ${cyclesAsTime(start, this.clockMhz)}`], ['length', `${number(Math.round(length))} cycles, ${cyclesAsTime(length, this.clockMhz)}`]];
  }
  /** What the tooltip says about a lane at a cycle. */
  private hit(lane: Lane, cycle: number, py: number): Hit | undefined {
    if (lane.kind === 'epochs') {
      const span = lane.spans.find((one) => cycle >= one.start && cycle < one.end);
      return span && { title: `epoch ${span.epoch}: ${span.graphs}`, lines: this.when(span.start, span.end - span.start) };
    }
    if (lane.kind === 'load') {
      const at = Math.floor(cycle / this.bucket), share = (lane.load.busy[at] ?? 0) / Math.max(1, this.bucket);
      return { title: lane.label, lines: [...this.when(at * this.bucket, this.bucket), ['busy', percent(share)], ['bytes', number(Math.round((lane.load.busy[at] ?? 0) * lane.load.bytes_per_cycle))]] };
    }
    if (lane.kind !== 'core') return undefined;
    const segment = lane.segments.find((one) => cycle >= one.offset && cycle <= one.offset + one.series.end);
    if (!segment) return undefined;
    const input = inputsOf(segment.series, cycle - segment.offset, cycle - segment.offset, 1)[0];
    const title = `${segment.series.op}, epoch ${segment.epoch}`;
    if (!input) return { title, lines: [['cause', cycle - segment.offset < segment.series.start ? 'before its first tiles' : partStyles.idle.name]] };
    const part = this.partAt(input, cycle - segment.offset), size = Math.max(1, input.end - input.start);
    const shares = causes.flatMap((cause, i): [string, string][] => ((input.parts[i] ?? 0) > 0 ? [[partStyles[cause].name, percent((input.parts[i] ?? 0) / size)]] : []));
    return { title: `${title}, input ${input.input}`, lines: [...this.when(segment.offset + input.start, size), ...(part && py ? [['here', partStyles[part].name] as [string, string]] : []), ...shares, ['bytes', this.events.bytes(segment.series.op, segment.series.epoch)]] };
  }
  private partAt(input: Input, cycle: number): (typeof causes)[number] | undefined {
    const sum = Math.max(1, input.parts.reduce((a, b) => a + b, 0));
    let at = input.start;
    for (const cause of drawnOrder) {
      at += ((input.parts[causes.indexOf(cause)] ?? 0) * (input.end - input.start)) / sum;
      if (cycle < at) return cause;
    }
    return undefined;
  }

  draw(): void {
    const { canvas } = this, w = this.box.clientWidth, h = this.box.clientHeight, ratio = window.devicePixelRatio;
    if (w === 0 || h === 0) return;
    canvas.style.height = `${h}px`;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    pen.font = '11px system-ui, sans-serif';
    const names = this.names;
    this.left = names;
    this.ratio = ratio;
    const x = (cycle: number) => names + ((w - names) * (cycle - this.from)) / (this.to - this.from);
    const most = Math.max(2, Math.floor((w - names) / 110));
    pen.fillStyle = themed('--line');
    for (const cycle of ticks(this.from, this.to, most)) pen.fillRect(x(cycle), axisHigh - 4, 1, h - axisHigh + 4);
    this.blocks.start(canvas.width, canvas.height);
    const scroll = this.box.scrollTop, first = Math.max(0, Math.floor(scroll / rowHigh));
    for (let i = first; i < this.lanes.length; ++i) {
      const y = axisHigh + i * rowHigh - scroll;
      if (y > h) break;
      const lane = this.lanes[i];
      if (lane) this.drawLane(pen, lane, y, x, w, names);
    }
    this.blocks.draw(pen);
    this.drawAxis(pen, x, w, h, names, most);
  }
  private drawLane(pen: CanvasRenderingContext2D, lane: Lane, y: number, x: (cycle: number) => number, w: number, names: number): void {
    if (lane.kind === 'title') {
      pen.fillStyle = themed('--panel');
      pen.fillRect(0, y, w, rowHigh);
      pen.fillStyle = themed('--fore');
      pen.font = 'bold 11px system-ui, sans-serif';
      pen.fillText(`${lane.label} (${lane.count})`, 6, y + 13);
      pen.font = '11px system-ui, sans-serif';
      return;
    }
    pen.save();
    pen.beginPath();
    pen.rect(names, y, w - names, rowHigh);
    pen.clip();
    if (lane.kind === 'epochs') this.drawEpochs(pen, lane.spans, y, x);
    else if (lane.kind === 'load') this.drawLoad(pen, lane.load.busy, y, x);
    else for (const segment of lane.segments) this.drawSegment(pen, segment, lane.only, y, x, w);
    pen.restore();
    pen.fillStyle = themed('--fore');
    pen.fillText(this.labelOf(lane.label, pen), 14, y + 13);
  }
  /** The label of a lane, as long as its column is wide. */
  private labelOf(label: string, pen: CanvasRenderingContext2D): string {
    const width = this.names - 20;
    if (width !== this.labelWidth) this.labels.clear();
    this.labelWidth = width;
    let text = this.labels.get(label);
    if (text === undefined) {
      text = shortName(label, (part) => pen.measureText(part).width <= width);
      this.labels.set(label, text);
    }
    return text;
  }
  private drawEpochs(pen: CanvasRenderingContext2D, spans: { epoch: number; graphs: string; start: number; end: number }[], y: number, x: (cycle: number) => number): void {
    for (const span of spans) {
      if (span.end < this.from || span.start > this.to) continue;
      const left = x(span.start), wide = x(span.end) - left;
      pen.fillStyle = themed(span.epoch % 2 === 0 ? '--band' : '--band2');
      pen.fillRect(left, y + 1, Math.max(0.5, wide - 0.5), rowHigh - 2);
      const number = `${span.epoch}: `, place = Math.max(left, this.left) + 3, room = left + wide - place - 3;
      pen.fillStyle = '#111';
      if (room > 12) pen.fillText(number + shortName(span.graphs, (part) => pen.measureText(number + part).width <= room), place, y + 13);
    }
  }
  private drawLoad(pen: CanvasRenderingContext2D, busy: number[], y: number, x: (cycle: number) => number): void {
    const first = Math.max(0, Math.floor(this.from / this.bucket)), last = Math.min(busy.length - 1, Math.ceil(this.to / this.bucket));
    for (let i = first; i <= last; ++i) {
      const share = (busy[i] ?? 0) / Math.max(1, this.bucket);
      if (share <= 0) continue;
      const left = x(i * this.bucket);
      pen.fillStyle = shareColour(share);
      pen.fillRect(left, y + 1, Math.max(0.5, x((i + 1) * this.bucket) - left), rowHigh - 2);
    }
  }
  private drawSegment(pen: CanvasRenderingContext2D, { series, offset }: Segment, only: string | undefined, y: number, x: (cycle: number) => number, w: number): void {
    if (offset > this.to || offset + series.end < this.from) return;
    const from = this.from - offset, to = this.to - offset, perCycle = w / (this.to - this.from);
    if ((series.end - series.start) * perCycle < tinySegment) {
      this.addBlock(sumOf(series), x(offset + series.start), x(offset + series.end), only, y);
      return;
    }
    pen.fillStyle = themed('--unused');
    pen.fillRect(x(offset), y + 8, Math.max(0, x(offset + series.end) - x(offset)), 2);
    // inputs of less than two pixels: a row that repeats becomes one block with a stripe for each cause
    for (const row of series.series) {
      const times = Number(row[1] ?? 1), shift = Number(row[3] ?? 0), start = Number(row[4] ?? 0), length = Number(row[5] ?? 0);
      if (start > to || start + (times - 1) * shift + length < from) continue;
      if (Math.max(length, shift) * perCycle < 2) {
        const input = firstInput(series, row);
        this.addBlock(input, x(offset + start), x(offset + start + (times - 1) * shift + length), only, y);
      } else {
        for (const input of inputsOf({ ...series, series: [row] }, from, to)) this.drawInput(pen, input, x(offset + input.start), x(offset + input.end), only, y);
      }
    }
  }
  private drawInput(pen: CanvasRenderingContext2D, input: Input, left: number, right: number, only: string | undefined, y: number): void {
    const sum = Math.max(1, input.parts.reduce((a, b) => a + b, 0)), scale = (right - left) / sum;
    let at = left;
    for (const cause of drawnOrder) {
      const part = (input.parts[causes.indexOf(cause)] ?? 0) * scale;
      if (part > 0 && (!only || only === cause)) {
        pen.fillStyle = part < 3 ? partStyles[cause].colour : partFill(pen, cause);
        pen.fillRect(at, y + 2, Math.max(0.3, part - (part > 8 ? 0.5 : 0)), rowHigh - 4);
      }
      at += part;
    }
  }
  private addBlock(input: Input, left: number, right: number, only: string | undefined, y: number): void {
    const ratio = this.ratio;
    if (right <= this.left) return;
    this.blocks.add(input.parts, Math.max(this.left, left) * ratio, right * ratio, (y + 2) * ratio, (y + rowHigh - 2) * ratio, only);
  }
  private drawAxis(pen: CanvasRenderingContext2D, x: (cycle: number) => number, w: number, h: number, names: number, most: number): void {
    pen.fillStyle = themed('--back');
    pen.fillRect(0, 0, w, axisHigh);
    const fore = themed('--soft');
    pen.fillStyle = fore;
    pen.fillText('cycles', 14, 12);
    pen.fillText('time', 14, 28);
    const write = (cycle: number, text: string, y: number) => {
      const at = x(cycle);
      const wide = pen.measureText(text).width;
      pen.fillText(text, Math.max(names, Math.min(w - wide - 2, at - wide / 2)), y);
    };
    for (const cycle of ticks(this.from, this.to, most)) write(cycle, number(cycle), 12);
    const perUs = this.clockMhz;
    for (const us of ticks(this.from / perUs, this.to / perUs, most)) write(us * perUs, us >= 10000 ? `${number(us / 1000)} ms` : `${number(us)} \u00b5s`, 28);
    if (this.selection) {
      const [a, b] = this.selection;
      pen.fillStyle = themed('--accent');
      pen.globalAlpha = 0.16;
      pen.fillRect(Math.max(names, x(a)), 0, Math.min(w, x(b)) - Math.max(names, x(a)), h);
      pen.globalAlpha = 1;
    }
  }
}
