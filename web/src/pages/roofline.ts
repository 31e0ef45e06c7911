// Roofline: math of each op against its bytes of DRAM, and the limits of the chip.
import { decades } from '../axis';
import { el, svg } from '../dom';
import { bytes, number } from '../format';
import type { Roofline, RooflinePoint } from '../shares';
import { tooltip } from '../tooltip';

const left = 62, top = 14, width = 560, height = 300, bottom = 44, aside = 120;
const mostPoints = 500;  // each is an element with its own tooltip

const label = (value: number) => (value >= 1 ? number(value) : String(Number(value.toPrecision(1))));

/** Ops without DRAM traffic stand to the right of the axis. A click opens an op. */
export function rooflineChart(data: Roofline, open: (op: string) => void): HTMLElement {
  const { points, cores, bytesPerCycle } = data;
  const known = points.flatMap((point) => (point.intensity === undefined ? [] : [point.intensity]));
  const ridge = bytesPerCycle > 0 ? cores / bytesPerCycle : 1;
  const least = (list: number[], start: number) => list.reduce((low, value) => Math.min(low, value), start);
  const xs = decades(least(known, ridge / 10), known.reduce((high, value) => Math.max(high, value), ridge * 10));
  const ys = decades(least(points.map((point) => point.rate), cores / 100), cores);
  const x0 = Math.log10(xs[0] ?? 1), x1 = Math.log10(xs.at(-1) ?? 10), y0 = Math.log10(ys[0] ?? 1), y1 = Math.log10(ys.at(-1) ?? 10);
  const x = (value: number) => left + (width * (Math.log10(value) - x0)) / (x1 - x0);
  const y = (value: number) => top + height - (height * (Math.log10(Math.max(value, 1e-9)) - y0)) / (y1 - y0);
  const drawing = svg('svg', { viewBox: `0 0 ${left + width + aside} ${top + height + bottom}`, class: 'chart', role: 'group', 'aria-label': 'roofline of the ops' });
  for (const value of xs) drawing.append(svg('line', { x1: x(value), x2: x(value), y1: top, y2: top + height, class: 'rule' }), svg('text', { x: x(value), y: top + height + 15, 'text-anchor': 'middle' }, label(value)));
  for (const value of ys) drawing.append(svg('line', { x1: left, x2: left + width + aside - 20, y1: y(value), y2: y(value), class: 'rule' }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, label(value)));
  drawing.append(svg('text', { x: left + width / 2, y: top + height + 36, 'text-anchor': 'middle' }, 'math cycles per byte of DRAM'),
    svg('text', { x: left + width + aside / 2 - 8, y: top + height + 15, 'text-anchor': 'middle' }, 'no DRAM'),
    svg('text', { x: 14, y: top + height / 2, transform: `rotate(-90 14 ${top + height / 2})`, 'text-anchor': 'middle' }, 'cores that do math, on average'));
  if (bytesPerCycle > 0) {
    const low = Math.max(10 ** x0, 10 ** y0 / bytesPerCycle);
    drawing.append(svg('path', { d: `M${x(low)} ${y(low * bytesPerCycle)} L${x(ridge)} ${y(cores)} L${left + width + aside - 20} ${y(cores)}`, class: 'roof' }),
      svg('text', { x: x(ridge / 8) - 8, y: y(cores / 8) - 8, 'text-anchor': 'end' }, `DRAM: ${number(bytesPerCycle)} bytes per cycle`),
      svg('text', { x: x(ridge) + 8, y: y(cores) - 4 }, `${cores} cores`));
  }
  const place = (point: RooflinePoint) => (point.intensity === undefined ? left + width + aside / 2 - 8 : x(point.intensity));
  const largest = points.reduce((most, one) => Math.max(most, one.math), 1);
  for (const point of [...points].sort((a, b) => b.math - a.math).slice(0, mostPoints)) {
    const dot = svg('circle', { cx: place(point), cy: y(point.rate), r: 3 + 6 * Math.sqrt(point.math / largest), class: 'dot', tabindex: 0, role: 'button', 'aria-label': `${point.op} on the roofline`, 'data-op': point.op });
    tooltip(dot, point.op, () => [
      ['epoch', String(point.epoch)], ['cores that do math', number(point.rate)], ['math', `${number(point.math)} core cycles`], ['DRAM', bytes(point.dramBytes)],
      ['of the roof', `${number((100 * point.rate) / Math.min(cores, point.intensity === undefined || bytesPerCycle === 0 ? cores : point.intensity * bytesPerCycle))} %`],
    ]);
    dot.addEventListener('click', () => open(point.op));
    dot.addEventListener('keydown', (event) => { if ((event as KeyboardEvent).key === 'Enter') open(point.op); });
    drawing.append(dot);
  }
  return el('div', {}, drawing, el('p', { class: 'hint' }, `${points.length > mostPoints ? `The ${mostPoints} ops with most math of ${number(points.length)}` : `${points.length} ops`}; area of a point: its math cycles, all cores and inputs. Below the line an op waits for something else than DRAM or math.`));
}
