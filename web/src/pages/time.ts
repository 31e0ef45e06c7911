// Ops over time: the cycles of each input by cause; below, links and channels.
import { causeColours, causeNames, legend, themed } from '../colour';
import type { Run, Series, Trace } from '../data';
import { choice, clear, el } from '../dom';
import { number } from '../format';
import { causes, type Cause } from '../model';
import { drawnOrder, inputsOf } from '../series';

const rowHigh = 18, names = 220, axis = 20;

export interface CorePlace {
  epoch: number;
  chip: number;
  x: number;
  y: number;
}
/** A line of the diagram: a core's inputs, or only one cause of them. */
interface Lane {
  label: string;
  series: Series;
  only?: Cause;
}

const placeOf = (one: Series) => `${one.chip}:${one.x}-${one.y}`;

/** A line for the core, then one for each cause with cycles. */
export function lanesOf(series: Series): Lane[] {
  const inputs = inputsOf(series, 0, Infinity);
  const spent = drawnOrder.filter((cause) => inputs.some((input) => (input.parts[causes.indexOf(cause)] ?? 0) > 0));
  return [{ label: `${series.op} on ${series.x}-${series.y}`, series }, ...spent.map((only) => ({ label: causeNames[only], series, only }))];
}

export function timePage(run: Run, asked: CorePlace | undefined, openOp: (op: string) => void): HTMLElement {
  const trace = run.trace;
  if (!trace) return el('p', { class: 'empty' }, 'The time page needs a trace: run with --trace FILE and pass that file to ttsim report.');
  const own = trace.epochs.filter((epoch) => epoch.same_as === undefined);
  let epoch = asked?.epoch ?? Number(own[0]?.epoch ?? 0);
  let core = asked ? `${asked.chip}:${asked.x}-${asked.y}` : '';
  const place = el('div'), cores = el('span');
  const show = () => {
    const here = trace.series.filter((one) => one.epoch === epoch);
    const one = here.find((series) => placeOf(series) === core);
    if (!one) core = '';
    const several = new Set(here.map((series) => series.chip)).size > 1;
    const all = here.map((series): [string, string] => [placeOf(series), `${several ? `chip ${series.chip} ` : ''}${series.x}-${series.y}: ${series.op}`]);
    clear(cores);
    cores.append(choice('Core', 'time-core', [['', 'the slowest of each op'], ...all], core, (value) => { core = value; show(); }));
    clear(place);
    const lanes = one ? lanesOf(one) : here.filter((series) => series.slowest).map((series) => ({ label: series.op, series }));
    place.append(gantt(lanes, Math.max(1, ...here.map((series) => series.end)), openOp));
  };
  show();
  return el('div', {},
    el('p', { class: 'hint' }, 'The slowest core of each op, or one core with a line for each cause. The wheel zooms at the pointer, dragging moves, f fits; a click shows the placement of the op. Hatched: before its first tiles (fill). Parts of an input are drawn in order of cause, not at the time when they occurred.'),
    el('div', { class: 'bar' }, choice('Epoch', 'time-epoch', own.map((e) => [String(e.epoch), `${e.epoch}: ${e.graphs}`]), String(epoch), (value) => { epoch = Number(value); show(); }), cores),
    legend(causes.map((cause) => [causeNames[cause], causeColours[cause]])), place,
    el('h2', {}, 'Links and channels over the whole run'), loads(trace));
}

function gantt(rows: Lane[], length: number, openOp: (op: string) => void): HTMLElement {
  let from = 0, to = length;
  const canvas = el('canvas', { id: 'gantt', tabindex: 0, style: `height:${Math.max(120, rows.length * rowHigh + axis)}px`, 'aria-label': 'ops over time' });
  const said = el('p', { id: 'window', class: 'hint' });

  function bar(pen: CanvasRenderingContext2D, { series: row, only }: Lane, y: number, x: (cycle: number) => number): void {
    pen.fillStyle = themed('--unused');
    // the fill: no tiles have arrived yet
    for (let at = Math.max(names, x(0)); at < x(row.start); at += 6) pen.fillRect(at, y + 7, 3, 4);
    for (const input of inputsOf(row, from, to)) {
      const sum = Math.max(1, input.parts.reduce((a, b) => a + b, 0));
      let at = x(input.start);
      const scale = (x(input.end) - at) / sum;
      for (const cause of drawnOrder) {
        const part = (input.parts[causes.indexOf(cause)] ?? 0) * scale;
        const left = Math.max(names, at), right = at + part;
        pen.fillStyle = causeColours[cause];
        if (part > 0 && right > names && (!only || only === cause)) pen.fillRect(left, y + 2, Math.max(0.3, right - left), rowHigh - 5);
        at = right;
      }
    }
  }
  function draw(): void {
    const w = canvas.clientWidth, h = canvas.clientHeight, ratio = window.devicePixelRatio;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.font = '11px sans-serif';
    const x = (cycle: number) => names + ((w - names) * (cycle - from)) / (to - from);
    rows.forEach((row, i) => {
      bar(pen, row, axis + i * rowHigh, x);
      pen.fillStyle = themed('--fore');
      pen.fillText(row.label.slice(0, 34), 4, axis + i * rowHigh + 13);
    });
    for (let i = 0; i <= 8; ++i) {
      const cycle = from + ((to - from) * i) / 8;
      pen.fillText(number(Math.round(cycle)), Math.min(w - 60, x(cycle)), 12);
    }
  }
  function say(): void {
    said.textContent = `cycles ${number(Math.round(from))} to ${number(Math.round(to))} of the epoch's ${number(length)}`;
  }
  function window_(a: number, b: number): void {
    const size = Math.max(10, Math.min(length, b - a));
    from = Math.max(0, Math.min(length - size, a));
    to = from + size;
    say();
    draw();
  }
  const zoom = (by: number, px: number) => {
    const at = from + ((to - from) * Math.max(0, px - names)) / Math.max(1, canvas.clientWidth - names);
    window_(at - (at - from) * by, at + (to - at) * by);
  };
  let drag: { x: number; start: number; moved: boolean } | null = null;
  canvas.addEventListener('wheel', (e) => { e.preventDefault(); zoom(Math.exp(e.deltaY / 500), e.offsetX); }, { passive: false });
  canvas.addEventListener('pointerdown', (e) => { drag = { x: e.offsetX, start: from, moved: false }; });
  canvas.addEventListener('pointermove', (e) => {
    if (!drag || Math.abs(e.offsetX - drag.x) < 3) return;
    drag.moved = true;
    const by = ((drag.x - e.offsetX) * (to - from)) / Math.max(1, canvas.clientWidth - names);
    window_(drag.start + by, drag.start + by + to - from);
  });
  canvas.addEventListener('pointerup', (e) => {
    const row = rows[Math.floor((e.offsetY - axis) / rowHigh)];
    if (drag && !drag.moved && row) openOp(row.series.op);
    drag = null;
  });
  canvas.addEventListener('keydown', (e) => {
    const step = (to - from) / 5;
    if (e.key === '+') zoom(0.8, canvas.clientWidth / 2);
    else if (e.key === '-') zoom(1.25, canvas.clientWidth / 2);
    else if (e.key === 'f') window_(0, length);
    else if (e.key === 'ArrowLeft') window_(from - step, to - step);
    else if (e.key === 'ArrowRight') window_(from + step, to + step);
  });
  say();  // not in the first drawing, which waits until the canvas has a size
  new ResizeObserver(draw).observe(canvas);
  return el('div', {}, said, canvas);
}

const mostLoads = 200;

function loads(trace: Trace): HTMLElement {
  const shown = trace.loads.slice(0, mostLoads);
  const canvas = el('canvas', { id: 'loads', style: `height:${shown.length * 12 + 4}px`, 'aria-label': 'load of links and channels' });
  const draw = () => {
    const w = canvas.clientWidth, ratio = window.devicePixelRatio;
    canvas.width = w * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.font = '10px sans-serif';
    shown.forEach((load, i) => {
      const wide = (w - names) / Math.max(1, load.busy.length);
      pen.fillStyle = themed('--fore');
      pen.fillText(load.name.slice(0, 38), 4, i * 12 + 10);
      load.busy.forEach((busy, bucket) => {
        pen.globalAlpha = Math.min(1, busy / Math.max(1, trace.bucket_cycles));
        pen.fillStyle = load.kind === 'dram' ? '#e03131' : '#f08c00';
        pen.fillRect(names + bucket * wide, i * 12 + 1, Math.max(0.5, wide), 11);
      });
      pen.globalAlpha = 1;
    });
  };
  new ResizeObserver(draw).observe(canvas);
  return el('div', {}, el('p', { class: 'hint' }, `Full colour: busy all the time. ${trace.loads.length > mostLoads ? `The busiest ${mostLoads} of ${trace.loads.length}.` : ''}`), canvas);
}
