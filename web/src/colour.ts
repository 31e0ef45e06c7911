// Colours and patterns with a meaning, for both themes. The causes have the colours of Okabe and Ito, which differ for
// colour-blind readers too; waits are hatched as well, so that grey prints and small parts can be told apart.
import type { Cause } from './model';
import { el, svg } from './dom';

/** Causes of a core's cycles, and its time without work. */
export type Part = Cause | 'idle';
type Hatch = 'none' | 'up' | 'down' | 'cross';

interface PartStyle {
  name: string;
  colour: string;
  hatch: Hatch;
}
/** Hatching: up = waits for input, down = waits for output, cross = waits within the core. */
export const partStyles: Record<Part, PartStyle> = {
  busy: { name: 'busy', colour: '#009e73', hatch: 'none' },
  wait_source: { name: 'waiting for input (producer)', colour: '#e8c547', hatch: 'up' },
  wait_noc: { name: 'waiting for input (NoC)', colour: '#e69f00', hatch: 'up' },
  wait_dram: { name: 'waiting for input (DRAM)', colour: '#d55e00', hatch: 'up' },
  wait_room: { name: 'waiting for output space', colour: '#cc79a7', hatch: 'down' },
  wait_output: { name: 'waiting for output transfer', colour: '#9c4f96', hatch: 'down' },
  wait_dst: { name: 'waiting for Dst', colour: '#56b4e9', hatch: 'cross' },
  wait_pack: { name: 'waiting for packer', colour: '#0072b2', hatch: 'cross' },
  drain: { name: 'packing the last tiles', colour: '#7fc8b0', hatch: 'none' },
  idle: { name: 'idle', colour: '#b9bec5', hatch: 'none' },
};
export const partNames = Object.keys(partStyles) as Part[];
const hatchColour = 'rgba(0,0,0,.38)';

export function partCss(part: Part): string {
  const { colour, hatch } = partStyles[part];
  const stripes = (angle: number) => `repeating-linear-gradient(${angle}deg, transparent 0 3px, ${hatchColour} 3px 4px)`;
  const layers = hatch === 'up' ? [stripes(135)] : hatch === 'down' ? [stripes(45)] : hatch === 'cross' ? [stripes(45), stripes(135)] : [];
  return [...layers, `linear-gradient(${colour}, ${colour})`].join(', ');
}

const tile = 6;
function lines(hatch: Hatch): [number, number, number, number][] {
  const up: [number, number, number, number][] = [[0, tile, tile, 0], [-1, 1, 1, -1], [tile - 1, tile + 1, tile + 1, tile - 1]];
  const down: [number, number, number, number][] = [[0, 0, tile, tile], [-1, tile - 1, 1, tile + 1], [tile - 1, -1, tile + 1, 1]];
  return hatch === 'up' ? up : hatch === 'down' ? down : hatch === 'cross' ? [...up, ...down] : [];
}

const patterns = new Map<Part, CanvasPattern | string>();
/** The fill of a part on a canvas. */
export function partFill(pen: CanvasRenderingContext2D, part: Part): CanvasPattern | string {
  const known = patterns.get(part);
  if (known) return known;
  const { colour, hatch } = partStyles[part];
  const swatch = document.createElement('canvas');
  swatch.width = swatch.height = tile;
  const brush = swatch.getContext('2d');
  let fill: CanvasPattern | string = colour;
  if (brush && hatch !== 'none') {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, tile, tile);
    brush.strokeStyle = hatchColour;
    for (const [x0, y0, x1, y1] of lines(hatch)) { brush.beginPath(); brush.moveTo(x0, y0); brush.lineTo(x1, y1); brush.stroke(); }
    fill = pen.createPattern(swatch, 'repeat') ?? colour;
  }
  patterns.set(part, fill);
  return fill;
}

/** Definitions of the patterns for an SVG; parts are filled with url(#part-NAME). */
export function partDefs(): SVGElement {
  return svg('defs', {}, ...partNames.map((part) => {
    const { colour, hatch } = partStyles[part];
    return svg('pattern', { id: `part-${part}`, width: tile, height: tile, patternUnits: 'userSpaceOnUse' },
      svg('rect', { width: tile, height: tile, fill: colour }),
      ...lines(hatch).map(([x1, y1, x2, y2]) => svg('line', { x1, y1, x2, y2, stroke: hatchColour, 'stroke-width': 1 })));
  }));
}
export const partUrl = (part: Part): string => `url(#part-${part})`;

/** A colour for a word, the same in every page and run. */
export function wordColour(word: string): string {
  let hash = 2166136261;
  for (let i = 0; i < word.length; ++i) hash = Math.imul(hash ^ word.charCodeAt(i), 16777619);
  const mixed = (hash ^ (hash >>> 15)) >>> 0;
  return `hsl(${mixed % 360} ${45 + ((mixed >>> 9) % 3) * 12}% ${58 + ((mixed >>> 12) % 3) * 9}%)`;
}
/** A scale from pale yellow (0) through orange to dark red (1): its lightness falls, also for colour-blind eyes. */
export function shareColour(share: number): string {
  const stops: [number, number, number][] = [[255, 247, 214], [254, 217, 128], [253, 150, 66], [222, 62, 32], [128, 0, 38]];
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1), low = Math.min(stops.length - 2, Math.floor(at));
  const a = stops[low] ?? [0, 0, 0], b = stops[low + 1] ?? a;
  return `rgb(${a.map((value, i) => Math.round(value + ((b[i] ?? value) - value) * (at - low))).join(',')})`;
}
/** Black or white, whichever can be read on the colours of shareColour(). */
export const shareInk = (share: number): string => (share > 0.7 ? '#fff' : '#111');

const themes = new Map<string, Map<string, string>>();
/** The value of a property of style.css in the present theme; known ones are kept, since a computed style is slow. */
export function themed(name: string): string {
  const root = document.documentElement, theme = root.dataset.theme ?? 'light';
  let values = themes.get(theme);
  if (!values) { values = new Map(); themes.set(theme, values); }
  let value = values.get(name);
  if (value === undefined) { value = getComputedStyle(root).getPropertyValue(name).trim(); values.set(name, value); }
  return value;
}

export type LegendEntry = [name: string, background: string];
export const partEntries = (parts: readonly Part[] = partNames): LegendEntry[] => parts.map((part) => [partStyles[part].name, partCss(part)]);
export function legend(entries: LegendEntry[], title = ''): HTMLElement {
  return el('div', { class: 'legend' }, title === '' ? null : el('b', {}, title), ...entries.map(([name, background]) => el('span', {}, el('i', { style: `background:${background}` }), name)));
}
/** A bar of shareColour() with its ends and middle. */
export function shareLegend(title: string): HTMLElement {
  const stops = Array.from({ length: 11 }, (_, i) => shareColour(i / 10)).join(', ');
  return el('div', { class: 'legend' }, el('b', {}, title), el('span', {}, '0 % ', el('i', { class: 'scale', style: `background:linear-gradient(90deg, ${stops})` }), ' 100 %'));
}
