// Layered layout: layers by longest path, order by the median of neighbours. Linear in edges, for graphs of any size.
import type { Graph, GraphNode } from './graph';

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
export interface Layout {
  boxes: Box[];
  width: number;
  height: number;
}
export const boxHeight = 46, layerGap = 46, boxGap = 14;

export function boxWidth(node: GraphNode): number {
  return Math.min(240, 20 + 7 * Math.max(node.name.length, node.title.length, node.note?.length ?? 0));
}

/** The layer of each node: below all of its inputs. Nodes without inputs are directly above their first reader. */
export function layers(graph: Graph): number[] {
  const count = graph.nodes.length;
  const reads = new Array<number>(count).fill(0), layer = new Array<number>(count).fill(0);
  const readers = graph.nodes.map((): number[] => []);
  for (const edge of graph.edges) {
    reads[edge.to] = (reads[edge.to] ?? 0) + 1;
    readers[edge.from]?.push(edge.to);
  }
  const left = [...reads];
  const ready = left.flatMap((n, i) => (n === 0 ? [i] : []));
  // grows while it is traversed
  for (const node of ready) {
    for (const reader of readers[node] ?? []) {
      layer[reader] = Math.max(layer[reader] ?? 0, (layer[node] ?? 0) + 1);
      left[reader] = (left[reader] ?? 0) - 1;
      if (left[reader] === 0) ready.push(reader);
    }
  }
  // a queue that is read and written again forms a cycle: its nodes stay where they were reached first
  for (let node = 0; node < count; ++node) {
    const to = readers[node] ?? [];
    if (reads[node] === 0 && to.length > 0) layer[node] = Math.max(0, to.reduce((least, r) => Math.min(least, layer[r] ?? 0), Infinity) - 1);
  }
  return layer;
}

function neighbours(graph: Graph): number[][] {
  const lists = graph.nodes.map((): number[] => []);
  for (const edge of graph.edges) {
    lists[edge.to]?.push(edge.from);
    lists[edge.from]?.push(edge.to);
  }
  return lists;
}

/** Places the boxes of a row near their target positions, in their order and without overlap. */
function spread(row: number[], boxes: Box[], target: number[]): void {
  let right = -Infinity;
  for (const node of row) {
    const box = boxes[node];
    if (!box) continue;
    box.x = Math.max(target[node] ?? 0, right + boxGap);
    right = box.x + box.w;
  }
  // moves boxes back by half of their shift to the right
  const pushed = row.reduce((sum, node) => sum + (boxes[node]?.x ?? 0) - (target[node] ?? 0), 0) / Math.max(1, row.length);
  for (const node of row) { const box = boxes[node]; if (box) box.x -= pushed; }
}

export function layered(graph: Graph, sweeps = 6): Layout {
  const layer = layers(graph);
  const rows: number[][] = [];
  layer.forEach((at, node) => (rows[at] ??= []).push(node));
  for (let i = 0; i < rows.length; ++i) rows[i] ??= [];
  const boxes = graph.nodes.map((node, i): Box => ({ x: 0, y: (layer[i] ?? 0) * (boxHeight + layerGap), w: boxWidth(node), h: boxHeight }));
  const near = neighbours(graph);
  const target = new Array<number>(graph.nodes.length).fill(0);
  for (const row of rows) spread(row, boxes, target);
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const order = sweep % 2 === 0 ? rows : [...rows].reverse();
    for (const row of order) {
      for (const node of row) {
        const list = near[node] ?? [], box = boxes[node];
        if (!box) continue;
        let sum = 0;
        for (const other of list) { const b = boxes[other]; if (b) sum += b.x + b.w / 2; }
        target[node] = list.length > 0 ? sum / list.length - box.w / 2 : box.x;
      }
      row.sort((a, b) => (target[a] ?? 0) - (target[b] ?? 0) || a - b);
      spread(row, boxes, target);
    }
  }
  return movedToOrigin(boxes);
}

/** The same layout with its corner at 0, 0. */
export function movedToOrigin(boxes: Box[]): Layout {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  for (const box of boxes) {
    x0 = Math.min(x0, box.x); y0 = Math.min(y0, box.y);
    x1 = Math.max(x1, box.x + box.w); y1 = Math.max(y1, box.y + box.h);
  }
  if (boxes.length === 0) return { boxes, width: 1, height: 1 };
  for (const box of boxes) { box.x -= x0; box.y -= y0; }
  return { boxes, width: x1 - x0, height: y1 - y0 };
}
