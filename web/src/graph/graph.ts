// Graphs for drawing, from a pass or from the placed netlist.
import type { Op, Pass, Queue, Run } from '../data';
import { Model } from '../model';

/** Queues and values are ovals: light for activations, dark for parameters. */
export type NodeKind = 'op' | 'activation' | 'parameter' | 'output' | 'group';
export interface GraphNode {
  name: string;
  title: string;
  kind: NodeKind;
  epoch?: number;
  /** Cycles and share, if the run has times. */
  note?: string;
  /** Identifies the node in other passes. */
  origin: string;
  fields: Record<string, unknown>;
}
export interface GraphEdge {
  from: number;
  to: number;
  operand: number;
  tms: string;
  /** Edges that it stands for between groups. */
  count?: number;
  /** A result of the forward program that the backward program reads. */
  saved?: boolean;
}
export interface Graph {
  name: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** Values that are there before the forward program runs. */
const stored = new Set(['input', 'constant', 'parameter']);

export function passGraph(pass: Pass): Graph {
  const graph: Graph = { name: pass.name, nodes: [], edges: [] };
  pass.nodes.forEach((node, at) => {
    const kind: NodeKind = node.op === 'input' ? 'activation' : node.op === 'constant' ? 'parameter' : 'op';
    const { in: inputs, attrs, ...plain } = node;
    graph.nodes.push({ name: node.name, title: node.op, kind, origin: node.origin ?? node.name, fields: { ...plain, ...attrs } });
    inputs.forEach((input, operand) => {
      const [from, tms] = typeof input === 'number' ? [input, ''] : input;
      const source = pass.nodes[from];
      const made = source !== undefined && source.phase === undefined && !stored.has(source.op);
      graph.edges.push({ from, to: at, operand, tms, ...(made && node.phase === 'backward' ? { saved: true } : {}) });
    });
  });
  for (const [name, from] of pass.outputs) {
    graph.edges.push({ from, to: graph.nodes.length, operand: 0, tms: '' });
    graph.nodes.push({ name, title: 'output', kind: 'output', origin: name, fields: { name } });
  }
  return graph;
}

function fieldsOf(entry: Op | Queue): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([key, value]) => key !== 'inputs' && key !== 'line' && value !== undefined));
}

/** The placed netlist as a graph. */
export function netlistGraph(model: Model): Graph {
  const graph: Graph = { name: 'post_placer', nodes: [], edges: [] };
  const index = new Map<string, number>();
  const add = (node: GraphNode) => {
    index.set(node.name, graph.nodes.length);
    graph.nodes.push(node);
  };
  for (const queue of model.queues.values()) {
    const fed = queue.input === 'HOST' || !model.ops.has(queue.input);
    const kind: NodeKind = fed ? (queue.type === 'ram' ? 'parameter' : 'activation') : (model.outOf.get(queue.name)?.length ?? 0) > 0 ? 'activation' : 'output';
    const epoch = model.lifetime(queue.name)?.[0];
    add({ name: queue.name, title: queue.type, kind, origin: queue.name, fields: fieldsOf(queue), ...(epoch === undefined ? {} : { epoch }) });
  }
  for (const op of model.ops.values()) {
    const epoch = model.epochOf.get(op.name);
    add({ name: op.name, title: op.type, kind: 'op', origin: op.name, fields: fieldsOf(op), ...(epoch === undefined ? {} : { epoch }) });
  }
  for (const edge of model.edges) {
    const from = index.get(edge.from), to = index.get(edge.to);
    if (from === undefined || to === undefined) continue;
    const source = model.ops.get(model.queues.get(edge.from)?.input ?? edge.from);
    const saved = source?.epoch_type === 'forward' && model.ops.get(edge.to)?.epoch_type === 'backward';
    graph.edges.push({ from, to, operand: edge.operand, tms: [edge.tms, edge.reblock && `reblocked: ${edge.reblock}`].filter(Boolean).join('; '), ...(saved ? { saved } : {}) });
  }
  return graph;
}

/** All graphs of a run, in the order of the compiler. */
export function graphsOf(run: Run): { name: string; make: () => Graph }[] {
  const list = (run.passes ?? []).map((pass) => ({ name: pass.name, make: () => passGraph(pass) }));
  if (run.ops) list.push({ name: 'post_placer', make: () => netlistGraph(new Model(run)) });
  return list;
}
