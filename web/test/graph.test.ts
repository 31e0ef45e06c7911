import { describe, expect, it } from 'vitest';
import { difference, follow } from '../src/graph/difference';
import { passGraph, type Graph } from '../src/graph/graph';
import { collapse } from '../src/graph/collapse';
import { layered, layers } from '../src/graph/layout';
import { search } from '../src/pages/graphs';

const before = passGraph({ name: 'a', nodes: [
  { name: 'x', op: 'input', in: [], type: 'f32[2]' },
  { name: 's', op: 'softmax', in: [0], type: 'f32[2]', origin: 'Softmax_1' },
], outputs: [['y', 1]] });
const after = passGraph({ name: 'b', nodes: [
  { name: 'x', op: 'input', in: [], type: 'f32[2]' },
  { name: 'e', op: 'exp', in: [[0, 'transpose']], type: 'f32[2]', origin: 'Softmax_1' },
  { name: 'r', op: 'sum', in: [1], type: 'f32[1]', origin: 'Softmax_1' },
], outputs: [['y', 2]] });

describe('a pass as a graph', () => {
  it('has ovals for inputs, edges with TMs, and outputs', () => {
    expect(after.nodes.map((node) => node.kind)).toEqual(['activation', 'op', 'op', 'output']);
    expect(after.edges[0]).toEqual({ from: 0, to: 1, operand: 0, tms: 'transpose' });
    expect(after.edges).toHaveLength(3);
  });
  it('differs from another by new, changed and removed nodes', () => {
    const changed = difference(before, after);
    expect([...changed.changes]).toEqual([['x', 'same'], ['e', 'new'], ['r', 'new'], ['y', 'changed']]);
    expect(changed.gone).toEqual(['s']);
    expect([...difference(before, before).changes.values()].every((change) => change === 'same')).toBe(true);
  });
  it('marks results of the forward program that the backward program reads', () => {
    const trained = passGraph({ name: 'c', nodes: [
      { name: 'x', op: 'input', in: [], type: 'f32[2]' },
      { name: 'y', op: 'exp', in: [0], type: 'f32[2]' },
      { name: 'dy', op: 'input', in: [], type: 'f32[2]', phase: 'backward' },
      { name: 'dx', op: 'multiply', in: [1, 2], type: 'f32[2]', phase: 'backward' },
      { name: 'd', op: 'multiply', in: [0, 3], type: 'f32[2]', phase: 'backward' },
    ], outputs: [['grad_x', 4]] });
    expect(trained.edges.filter((edge) => edge.saved)).toEqual([{ from: 1, to: 3, operand: 0, tms: '', saved: true }]);
  });
  it('is followed by origin if the name was removed', () => {
    const node = before.nodes[1];
    expect(node && follow(node, after).map((one) => one.name)).toEqual(['e', 'r']);
  });
  it('is searched by name before type', () => {
    expect(search(after, 'e').map((i) => after.nodes[i]?.name)[0]).toBe('e');
    expect(search(after, 'SUM').map((i) => after.nodes[i]?.name)).toEqual(['r']);
    expect(search(after, '')).toEqual([]);
  });
});

describe('groups', () => {
  const node = (name: string, kind: 'op' | 'activation', epoch?: number) => ({ name, title: 't', kind, origin: name, fields: {}, ...(epoch === undefined ? {} : { epoch }) });
  const edge = (from: number, to: number) => ({ from, to, operand: 0, tms: '' });
  // a queue from epoch 0 to both others, and an input of two epochs
  const graph: Graph = {
    name: 'g', nodes: [node('a', 'op', 0), node('b', 'op', 0), node('q', 'activation', 0), node('c', 'op', 1), node('d', 'op', 1), node('e', 'op', 2), node('f', 'op', 2), node('in', 'activation', 0)],
    edges: [edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 4), edge(2, 5), edge(5, 6), edge(7, 0), edge(7, 3)],
  };
  it('are joined by edges for the queues between them', () => {
    const { graph: shown } = collapse(graph, 'epoch', new Set());
    expect(shown.nodes.map((one) => one.name)).toEqual(['epoch 0', 'epoch 1', 'epoch 2', 'in']);
    expect(shown.edges.map((one) => [one.from, one.to])).toEqual([[0, 1], [0, 2], [3, 0], [3, 1]]);
  });
  it('show the queues of an opened one', () => {
    expect(collapse(graph, 'epoch', new Set(['epoch 1'])).graph.nodes.map((one) => one.name)).toEqual(['epoch 0', 'q', 'c', 'd', 'epoch 2', 'in']);
  });
});

describe('the layout', () => {
  const random = (nodes: number, edges: number): Graph => {
    let state = 7;
    const next = (below: number) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below; };
    const graph: Graph = { name: 'r', nodes: [], edges: [] };
    for (let i = 0; i < nodes; ++i) graph.nodes.push({ name: `n${i}`, title: 't', kind: 'op', origin: '', fields: {} });
    for (let i = 0; i < edges; ++i) { const to = 1 + next(nodes - 1); graph.edges.push({ from: Math.max(0, to - 1 - next(40)), to, operand: 0, tms: '' }); }
    return graph;
  };
  it('places readers below their inputs', () => {
    const graph = random(200, 500), layer = layers(graph);
    for (const edge of graph.edges) expect(layer[edge.from]).toBeLessThan(layer[edge.to] ?? 0);
  });
  it('has no overlapping boxes', () => {
    const { boxes } = layered(random(120, 300));
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => expect(a.y !== b.y || a.x + a.w <= b.x + 1e-6 || b.x + b.w <= a.x + 1e-6).toBe(true)));
  });
  it('terminates for a cycle', () => {
    const graph = random(3, 0);
    graph.edges.push({ from: 0, to: 1, operand: 0, tms: '' }, { from: 1, to: 0, operand: 0, tms: '' });
    expect(layered(graph).boxes).toHaveLength(3);
  });
  it('handles 60,000 edges quickly', () => {
    const graph = random(25000, 60000), started = performance.now();
    layered(graph);
    expect(performance.now() - started).toBeLessThan(2500);
  });
});
