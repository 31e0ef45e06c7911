// Draws a graph on a canvas, with zoom at the pointer, drag and fit; only the visible part is drawn.
import { themed, wordColour } from '../colour';
import { el } from '../dom';
import type { Change } from './difference';
import type { Graph } from './graph';
import type { Layout } from './layout';

/** Limit while the view moves; the rest is drawn when it stops. */
const mostMovingEdges = 6000;

export class GraphView {
  readonly canvas = el('canvas', { id: 'graph', tabindex: 0, 'aria-label': 'graph' });
  private scale = 1;
  private dx = 0;
  private dy = 0;
  private chosen = -1;
  private rest = 0;
  private near = new Set<number>();
  changes = new Map<string, Change>();
  colourOf: (name: string, title: string) => string = (_name, title) => wordColour(title);
  /** Milliseconds of the last complete drawing. */
  lastDraw = 0;

  constructor(private graph: Graph, private layout: Layout, private readonly choose: (node: number) => void) {
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
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(graph: Graph, layout: Layout): void {
    this.graph = graph;
    this.layout = layout;
    this.chosen = -1;
    this.near.clear();
    this.fit();
  }
  fit(): void {
    const w = this.canvas.clientWidth || 800, h = this.canvas.clientHeight || 600;
    this.scale = Math.min(2, 0.96 * Math.min(w / this.layout.width, h / this.layout.height));
    this.dx = (w - this.layout.width * this.scale) / 2;
    this.dy = (h - this.layout.height * this.scale) / 2;
    this.draw();
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

  private paint(mostEdges: number): void {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, ratio = window.devicePixelRatio;
    if (this.canvas.width !== w * ratio || this.canvas.height !== h * ratio) { this.canvas.width = w * ratio; this.canvas.height = h * ratio; }
    const pen = this.canvas.getContext('2d');
    if (!pen) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = themed('--back');
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    pen.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.dx, ratio * this.dy);
    const sight = { x0: -this.dx / this.scale, y0: -this.dy / this.scale, x1: (w - this.dx) / this.scale, y1: (h - this.dy) / this.scale };
    this.paintFrames(pen);
    this.paintEdges(pen, sight, mostEdges);
    this.paintNodes(pen, sight);
  }
  /** A frame for each epoch. */
  private paintFrames(pen: CanvasRenderingContext2D): void {
    const frames = new Map<number, [number, number, number, number]>();
    this.graph.nodes.forEach((node, i) => {
      const b = this.layout.boxes[i];
      if (node.epoch === undefined || node.kind !== 'op' || !b) return;
      const f = frames.get(node.epoch) ?? [Infinity, Infinity, -Infinity, -Infinity];
      frames.set(node.epoch, [Math.min(f[0], b.x), Math.min(f[1], b.y), Math.max(f[2], b.x + b.w), Math.max(f[3], b.y + b.h)]);
    });
    pen.strokeStyle = themed('--good');
    pen.fillStyle = themed('--good');
    pen.lineWidth = 1.5 / this.scale;
    pen.font = `${12 / Math.min(1, this.scale)}px sans-serif`;
    for (const [epoch, [x0, y0, x1, y1]] of frames) {
      pen.strokeRect(x0 - 8, y0 - 8, x1 - x0 + 16, y1 - y0 + 16);
      pen.fillText(`epoch ${epoch}`, x0 - 6, y0 - 12);
    }
  }
  private paintEdges(pen: CanvasRenderingContext2D, sight: Sight, most: number): void {
    const edges = this.graph.edges, step = Math.max(1, Math.ceil(edges.length / most));
    const boxes = this.layout.boxes;
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
      }
      pen.globalAlpha = lit || this.chosen < 0 ? 0.8 : 0.2;
      pen.strokeStyle = themed(saved ? '--input' : lit ? '--accent' : '--soft');
      pen.lineWidth = (lit ? 2 : 0.8) / Math.max(this.scale, 0.4);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }
  private paintNodes(pen: CanvasRenderingContext2D, sight: Sight): void {
    const fore = themed('--fore'), line = themed('--line'), act = themed('--act'), param = themed('--param');
    pen.font = '11px sans-serif';
    this.graph.nodes.forEach((node, i) => {
      const b = this.layout.boxes[i];
      if (!b || b.x > sight.x1 || b.x + b.w < sight.x0 || b.y > sight.y1 || b.y + b.h < sight.y0) return;
      const change = this.changes.get(node.name);
      pen.globalAlpha = (this.chosen >= 0 && !this.near.has(i)) || change === 'same' ? 0.3 : 1;
      pen.fillStyle = node.kind === 'op' ? this.colourOf(node.name, node.title) : node.kind === 'parameter' ? param : act;
      pen.beginPath();
      if (node.kind === 'op' || this.scale < 0.15) pen.rect(b.x, b.y, b.w, b.h);
      else pen.ellipse(b.x + b.w / 2, b.y + b.h / 2, b.w / 2, b.h / 2, 0, 0, 2 * Math.PI);
      pen.fill();
      if (this.scale < 0.12) return;
      pen.strokeStyle = i === this.chosen ? fore : change === 'new' ? '#2f9e44' : change === 'changed' ? '#f08c00' : line;
      pen.lineWidth = i === this.chosen || change === 'new' || change === 'changed' ? 3 : 1;
      pen.stroke();
      if (this.scale < 0.3) return;
      pen.fillStyle = node.kind === 'parameter' ? '#fff' : '#111';
      pen.textAlign = 'center';
      pen.fillText(node.name.length > 32 ? `${node.name.slice(0, 31)}\u2026` : node.name, b.x + b.w / 2, b.y + 16);
      pen.fillText(node.title, b.x + b.w / 2, b.y + 30);
    });
    pen.textAlign = 'left';
    pen.globalAlpha = 1;
  }
}

interface Sight { x0: number; y0: number; x1: number; y1: number }
