// Draws a graph on a canvas, with zoom at the pointer, drag, fit and a map of the whole; only the visible part is drawn.
import { partStyles, themed, wordColour } from '../colour';
import { el } from '../dom';
import type { Change } from './difference';
import type { Graph } from './graph';
import { placeLabels, type Label, type LabelBox } from './labels';
import type { Layout } from './layout';

/** Limit while the view moves; the rest is drawn when it stops. */
const mostMovingEdges = 6000;
const mapWide = 170, mapHigh = 120;

/** Labels as drawn last, in pixels of the canvas: tests measure that none overlap. */
export type LabelledCanvas = HTMLCanvasElement & { labels?: LabelBox[] };
interface Sight { x0: number; y0: number; x1: number; y1: number }

export class GraphView {
  readonly canvas: LabelledCanvas;
  readonly map = el('canvas', { class: 'minimap', role: 'img', 'aria-label': 'map of the whole graph; a click moves the view' });
  readonly box: HTMLElement;
  private scale = 1;
  private dx = 0;
  private dy = 0;
  private chosen = -1;
  private rest = 0;
  private near = new Set<number>();
  private mapImage: HTMLCanvasElement | undefined;
  changes = new Map<string, Change>();
  edgeLabels = false;
  colourOf: (name: string, title: string) => string = (_name, title) => wordColour(title);
  /** Milliseconds of the last complete drawing. */
  lastDraw = 0;

  constructor(private graph: Graph, private layout: Layout, private readonly choose: (node: number) => void, id = 'graph') {
    this.canvas = el('canvas', { id, tabindex: 0, role: 'application', 'aria-label': 'graph; arrows move, plus and minus zoom, f shows all' });
    this.box = el('div', { class: 'graph-box' }, this.canvas, this.map);
    let drag: { x: number; y: number; moved: boolean } | null = null;
    this.canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY / 500), e.offsetX, e.offsetY); }, { passive: false });
    this.canvas.addEventListener('pointerdown', (e) => { drag = { x: e.offsetX, y: e.offsetY, moved: false }; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener('pointermove', (e) => {
      if (!drag) return;
      if (Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 3 || drag.moved) {
        this.dx += e.offsetX - drag.x; this.dy += e.offsetY - drag.y;
        drag = { x: e.offsetX, y: e.offsetY, moved: true };
        this.moving();
      }
    });
    this.canvas.addEventListener('pointerup', (e) => {
      if (drag && !drag.moved) this.choose(this.at(e.offsetX, e.offsetY));
      drag = null;
    });
    this.canvas.addEventListener('keydown', (e) => this.key(e));
    this.map.addEventListener('click', (e) => {
      const { scale, dx, dy } = this.mapPlace();
      this.dx = this.canvas.clientWidth / 2 - ((e.offsetX - dx) / scale) * this.scale;
      this.dy = this.canvas.clientHeight / 2 - ((e.offsetY - dy) / scale) * this.scale;
      this.draw();
    });
    // a first report of the size comes without a change
    new ResizeObserver(() => { if (this.sizeChanged()) this.draw(); }).observe(this.canvas);
  }

  show(graph: Graph, layout: Layout): void {
    this.graph = graph;
    this.layout = layout;
    this.chosen = -1;
    this.near.clear();
    this.mapImage = undefined;
    this.start();
  }
  /** Names can be read: a tall graph starts at its top instead of being shown whole. */
  private start(): void {
    this.placeAll();
    const w = this.canvas.clientWidth || 800, legible = Math.min(0.8, (0.96 * w) / this.layout.width);
    if (legible > this.scale) {
      this.scale = legible;
      this.dx = (w - this.layout.width * this.scale) / 2;
      this.dy = 26;
    }
    this.draw();
  }
  fit(): void {
    this.placeAll();
    this.draw();
  }
  private placeAll(): void {
    const w = this.canvas.clientWidth || 800, h = this.canvas.clientHeight || 600;
    this.scale = Math.min(2, 0.96 * Math.min(w / this.layout.width, h / this.layout.height));
    this.dx = (w - this.layout.width * this.scale) / 2;
    this.dy = (h - this.layout.height * this.scale) / 2;
  }
  /** Selects a node, dims all but its neighbours, and scrolls to it. */
  mark(node: number, bring: boolean): void {
    this.chosen = node;
    this.near = new Set([node]);
    for (const edge of this.graph.edges) {
      if (edge.from === node) this.near.add(edge.to);
      if (edge.to === node) this.near.add(edge.from);
    }
    const box = this.layout.boxes[node];
    if (box && bring) {
      this.scale = Math.max(this.scale, 0.9);
      this.dx = this.canvas.clientWidth / 2 - (box.x + box.w / 2) * this.scale;
      this.dy = this.canvas.clientHeight / 2 - (box.y + box.h / 2) * this.scale;
    }
    this.draw();
  }
  /** The centre of a node on the canvas. */
  middle(node: number): { x: number; y: number } | null {
    const box = this.layout.boxes[node];
    return box ? { x: (box.x + box.w / 2) * this.scale + this.dx, y: (box.y + box.h / 2) * this.scale + this.dy } : null;
  }
  zoom(by: number, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2): void {
    const next = Math.max(0.002, Math.min(8, this.scale * by));
    this.dx = x - ((x - this.dx) * next) / this.scale;
    this.dy = y - ((y - this.dy) * next) / this.scale;
    this.scale = next;
    this.moving();
  }

  private key(event: KeyboardEvent): void {
    const pan: Record<string, [number, number]> = { ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [60, 0], ArrowRight: [-60, 0] };
    const by = pan[event.key];
    if (by) { this.dx += by[0]; this.dy += by[1]; this.moving(); event.preventDefault(); }
    else if (event.key === '+') this.zoom(1.25);
    else if (event.key === '-') this.zoom(0.8);
    else if (event.key === 'f') this.fit();
  }
  private at(px: number, py: number): number {
    const x = (px - this.dx) / this.scale, y = (py - this.dy) / this.scale;
    return this.layout.boxes.findIndex((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h);
  }
  private moving(): void {
    this.paint(mostMovingEdges);
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.draw(), 120);
  }
  draw(): void {
    const started = performance.now();
    this.paint(Infinity);
    this.lastDraw = performance.now() - started;
    this.canvas.dataset.drawn = String(Math.round(this.lastDraw));
  }

  private sizeChanged(): boolean {
    const ratio = window.devicePixelRatio;
    return this.canvas.width !== Math.round(this.canvas.clientWidth * ratio) || this.canvas.height !== Math.round(this.canvas.clientHeight * ratio);
  }
  private paint(mostEdges: number): void {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, ratio = window.devicePixelRatio;
    if (this.sizeChanged()) { this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(h * ratio); }
    const pen = this.canvas.getContext('2d');
    if (!pen) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = themed('--back');
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    pen.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.dx, ratio * this.dy);
    const sight = { x0: -this.dx / this.scale, y0: -this.dy / this.scale, x1: (w - this.dx) / this.scale, y1: (h - this.dy) / this.scale };
    const labels: Label[] = [];
    this.paintFrames(pen, labels);
    this.paintEdges(pen, sight, mostEdges, labels);
    this.paintNodes(pen, sight, labels);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paintLabels(pen, labels);
    this.paintMap(w, h);
  }
  /** A frame for each epoch whose ops are drawn. */
  private paintFrames(pen: CanvasRenderingContext2D, labels: Label[]): void {
    const frames = new Map<number, [number, number, number, number]>();
    this.graph.nodes.forEach((node, i) => {
      const b = this.layout.boxes[i];
      if (node.epoch === undefined || node.kind !== 'op' || !b) return;
      const f = frames.get(node.epoch) ?? [Infinity, Infinity, -Infinity, -Infinity];
      frames.set(node.epoch, [Math.min(f[0], b.x), Math.min(f[1], b.y), Math.max(f[2], b.x + b.w), Math.max(f[3], b.y + b.h)]);
    });
    const ink = themed('--good');
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5 / this.scale;
    for (const [epoch, [x0, y0, x1, y1]] of frames) {
      pen.strokeRect(x0 - 8, y0 - 8, x1 - x0 + 16, y1 - y0 + 16);
      labels.push({ x: x0 * this.scale + this.dx + 24, y: (y0 - 8) * this.scale + this.dy - 9, text: `epoch ${epoch}`, room: 60, ink, bold: true });
    }
  }
  private paintEdges(pen: CanvasRenderingContext2D, sight: Sight, most: number, labels: Label[]): void {
    const edges = this.graph.edges, step = Math.max(1, Math.ceil(edges.length / most));
    const boxes = this.layout.boxes;
    const soft = themed('--soft');
    for (const [lit, saved] of [[false, false], [false, true], [true, false], [true, true]] as const) {
      pen.beginPath();
      for (let i = 0; i < edges.length; i += lit || saved ? 1 : step) {
        const edge = edges[i];
        if (!edge || (edge.saved ?? false) !== saved) continue;
        const beside = this.chosen >= 0 && (edge.from === this.chosen || edge.to === this.chosen);
        if (beside !== lit) continue;
        const a = boxes[edge.from], b = boxes[edge.to];
        if (!a || !b) continue;
        const x0 = a.x + a.w / 2, y0 = a.y + a.h, x1 = b.x + b.w / 2, y1 = b.y;
        if (Math.max(x0, x1) < sight.x0 || Math.min(x0, x1) > sight.x1 || Math.max(y0, y1) < sight.y0 || Math.min(y0, y1) > sight.y1) continue;
        pen.moveTo(x0, y0);
        if (this.scale > 0.3) pen.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
        else pen.lineTo(x1, y1);
        const text = (edge.count ?? 1) > 1 ? `${edge.count} edges` : edge.tms;
        if (text !== '' && (lit || this.edgeLabels)) labels.push({ x: ((x0 + x1) / 2) * this.scale + this.dx, y: ((y0 + y1) / 2) * this.scale + this.dy, text, room: 90, ink: soft });
      }
      pen.globalAlpha = lit || this.chosen < 0 ? 0.8 : 0.2;
      pen.strokeStyle = themed(saved ? '--input' : lit ? '--accent' : '--soft');
      pen.lineWidth = (lit ? 2 : 0.8) / Math.max(this.scale, 0.4);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }
  private paintNodes(pen: CanvasRenderingContext2D, sight: Sight, labels: Label[]): void {
    const fore = themed('--fore'), line = themed('--line'), act = themed('--act'), param = themed('--param'), panel = themed('--panel');
    const own: Label[] = [];
    this.graph.nodes.forEach((node, i) => {
      const b = this.layout.boxes[i];
      if (!b || b.x > sight.x1 || b.x + b.w < sight.x0 || b.y > sight.y1 || b.y + b.h < sight.y0) return;
      const change = this.changes.get(node.name);
      const dimmed = (this.chosen >= 0 && !this.near.has(i)) || change === 'same';
      pen.globalAlpha = dimmed ? 0.3 : 1;
      pen.fillStyle = node.kind === 'group' ? panel : node.kind === 'op' ? this.colourOf(node.name, node.title) : node.kind === 'parameter' ? param : act;
      pen.beginPath();
      if (node.kind === 'op' || node.kind === 'group' || this.scale < 0.15) pen.rect(b.x, b.y, b.w, b.h);
      else pen.ellipse(b.x + b.w / 2, b.y + b.h / 2, b.w / 2, b.h / 2, 0, 0, 2 * Math.PI);
      pen.fill();
      if (this.scale >= 0.12 || node.kind === 'group') {
        pen.strokeStyle = i === this.chosen ? fore : change === 'new' ? partStyles.busy.colour : change === 'changed' ? partStyles.wait_noc.colour : node.kind === 'group' ? fore : line;
        pen.lineWidth = i === this.chosen || change === 'new' || change === 'changed' ? 3 : node.kind === 'group' ? 1.5 / Math.max(0.3, this.scale) : 1;
        pen.stroke();
      }
      if (!dimmed || this.scale > 0.5) this.nodeLabels(own, i, node.kind === 'group' ? fore : node.kind === 'parameter' ? '#fff' : '#111', fore);
    });
    pen.globalAlpha = 1;
    // the chosen node first, then groups, then the rest
    const rank = (label: Label) => (label.bold ? 0 : 1);
    labels.unshift(...own.sort((a, b) => rank(a) - rank(b)));
  }
  /** Of graphs too large for all labels, some nodes have one. */
  private get labelEvery(): number { return Math.ceil(this.graph.nodes.length / 3000); }
  /** Name, type and times of a node: as many lines as its box has room for; the name alone may stand below a small box. */
  private nodeLabels(labels: Label[], index: number, ink: string, below: string): void {
    const node = this.graph.nodes[index], b = this.layout.boxes[index];
    if (!node || !b) return;
    const lines = [node.name, node.title, ...(node.note ? [node.note] : [])];
    const x = (b.x + b.w / 2) * this.scale + this.dx, high = b.h * this.scale, room = (b.w * this.scale) / 2 - 3;
    const bold = index === this.chosen || node.kind === 'group';
    const fit = Math.min(lines.length, Math.floor((high - 2) / 13));
    if (fit >= 1 && room > 12) {
      const top = (b.y + b.h / 2) * this.scale + this.dy - ((fit - 1) * 13) / 2;
      lines.slice(0, fit).forEach((text, n) => labels.push({ x, y: top + n * 13, text, room, ink, bold: bold && n === 0 }));
    } else if (bold || index % this.labelEvery === 0) {
      labels.push({ x, y: (b.y + b.h) * this.scale + this.dy + 8, text: node.name, room: 60, ink: below, bold, halo: true });
    }
  }
  private paintLabels(pen: CanvasRenderingContext2D, labels: Label[]): void {
    pen.font = '11px system-ui, sans-serif';
    const widths = new Map<string, number>();
    const measure = (text: string) => {
      let wide = widths.get(text);
      if (wide === undefined) { wide = pen.measureText(text).width; widths.set(text, wide); }
      return wide;
    };
    const placed = placeLabels(labels, measure);
    this.canvas.labels = placed.map(({ box }) => box);
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    pen.strokeStyle = themed('--back');
    pen.lineWidth = 3;
    for (const { label, box } of placed) {
      if (label.halo) pen.strokeText(box.text, box.x, box.y + box.h / 2 + 0.5);
      pen.fillStyle = label.ink;
      pen.fillText(box.text, box.x, box.y + box.h / 2 + 0.5);
    }
    pen.textBaseline = 'alphabetic';
  }
  private mapPlace(): { scale: number; dx: number; dy: number } {
    const scale = 0.94 * Math.min(mapWide / this.layout.width, mapHigh / this.layout.height);
    return { scale, dx: (mapWide - this.layout.width * scale) / 2, dy: (mapHigh - this.layout.height * scale) / 2 };
  }
  /** The whole graph, drawn once, and a frame around what is in sight; hidden when all is. */
  private paintMap(w: number, h: number): void {
    const { scale, dx, dy } = this.mapPlace();
    const sight = [-this.dx / this.scale, -this.dy / this.scale, w / this.scale, h / this.scale] as const;
    const all = sight[0] <= 0 && sight[1] <= 0 && sight[0] + sight[2] >= this.layout.width && sight[1] + sight[3] >= this.layout.height;
    this.map.hidden = all;
    if (all) return;
    if (!this.mapImage) {
      this.mapImage = document.createElement('canvas');
      this.mapImage.width = mapWide; this.mapImage.height = mapHigh;
      const brush = this.mapImage.getContext('2d');
      if (brush) {
        brush.fillStyle = themed('--soft');
        for (const b of this.layout.boxes) brush.fillRect(b.x * scale + dx, b.y * scale + dy, Math.max(0.7, b.w * scale), Math.max(0.7, b.h * scale));
      }
    }
    this.map.width = mapWide; this.map.height = mapHigh;
    const pen = this.map.getContext('2d');
    if (!pen) return;
    pen.drawImage(this.mapImage, 0, 0);
    pen.strokeStyle = themed('--accent');
    pen.lineWidth = 1.5;
    pen.strokeRect(sight[0] * scale + dx, sight[1] * scale + dy, sight[2] * scale, sight[3] * scale);
  }
}
