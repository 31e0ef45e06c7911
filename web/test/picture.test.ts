import { describe, expect, it } from 'vitest';
import { byteTicks, decades, ticks } from '../src/axis';
import { partNames, partStyles } from '../src/colour';
import type { Trace } from '../src/data';
import { collapse, firstGrouping, scopeDepth, scopeOf } from '../src/graph/collapse';
import type { Graph } from '../src/graph/graph';
import { placeLabels } from '../src/graph/labels';
import { bufferName, regions } from '../src/pages/memory';
import { Model } from '../src/model';
import { epochShares, loadShare, roofline, runShares } from '../src/shares';
import { csvText, decimalsOf, passes } from '../src/table';

describe('axes', () => {
  it('have round numbers', () => {
    expect(ticks(0, 1078343, 6)).toEqual([0, 200000, 400000, 600000, 800000, 1000000]);
    expect(ticks(0.13, 0.34, 4)).toEqual([0.2, 0.3]);
    expect(ticks(5, 5, 4)).toEqual([5]);
    expect(decades(0.02, 30)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(byteTicks(0, 1024, 4)).toEqual([0, 256, 512, 768, 1024]);
  });
});

describe('colours of causes', () => {
  /** Colours as seen without red cones (protanopia) and without green ones (deuteranopia), by Vienot et al. 1999. */
  const seen = (hex: string, kind: 'protan' | 'deutan') => {
    const rgb = [1, 3, 5].map((at) => (parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2);
    const [r, g, b] = rgb as [number, number, number];
    const [l, rest] = kind === 'protan' ? [0.11238 * r + 0.88762 * g, b + 0.00401 * (r - g)] : [0.29275 * r + 0.70725 * g, b - 0.02234 * (r - g)];
    return [l, rest].map((value) => Math.max(0, value) ** (1 / 2.2));
  };
  it('differ in colour or hatching for colour-blind eyes', () => {
    for (const kind of ['protan', 'deutan'] as const)
      for (const a of partNames)
        for (const b of partNames) {
          if (a >= b || partStyles[a].hatch !== partStyles[b].hatch) continue;
          const [x, y] = [seen(partStyles[a].colour, kind), seen(partStyles[b].colour, kind)];
          const apart = Math.hypot((x[0] ?? 0) - (y[0] ?? 0), (x[1] ?? 0) - (y[1] ?? 0));
          expect(apart, `${a} and ${b} (${kind})`).toBeGreaterThan(0.08);
        }
  });
});

const trace = {
  run: { cycles: 300, clock_mhz: 1000 }, bucket_cycles: 100, ops: [], resources: [], series: [],
  epochs: [{ epoch: 0, graphs: 'g', start: 0, cycles: 100 }, { epoch: 1, graphs: 'g', start: 100, cycles: 100, same_as: 0 }, { epoch: 2, graphs: 'h', start: 200, cycles: 100 }],
  cores: [[0, 'a', 1, 1, 0, 80, 40, 0, 0, 40, 0, 0, 0, 0, 0, 20], [2, 'b', 1, 1, 200, 300, 100, 0, 0, 0, 0, 0, 0, 0, 0, 50]],
  loads: [{ name: 'd', kind: 'dram', chip: 0, busy: [50, 0, 100], bytes: 10, bytes_per_cycle: 8 }],
  work: [[0, 'a', 20, 10, 5, 5, 0, 80], [2, 'b', 50, 0, 0, 0, 0, 100]],
} as unknown as Trace;

describe('shares of time', () => {
  it('count repeated epochs and sum up to 1', () => {
    const shares = epochShares(trace);
    expect(shares.map((one) => [one.epoch, one.launches, one.cycles])).toEqual([[0, 2, 200], [2, 1, 100]]);
    for (const one of shares) expect(one.parts.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(1);
    const all = new Map(runShares(shares));
    expect(all.get('busy')).toBeCloseTo((0.4 * 200 + 100) / 300);
    expect(all.get('idle')).toBeCloseTo((0.2 * 200) / 300);
  });
  it('of a resource are those of the window', () => {
    const load = trace.loads[0];
    if (!load) throw new Error('no load');
    expect(loadShare(load, 100, 0, 100)).toBeCloseTo(0.5);
    expect(loadShare(load, 100, 50, 250)).toBeCloseTo((25 + 50) / 200);
  });
  it('put ops on the roofline', () => {
    const data = roofline(trace, 100, 6);
    expect(data.bytesPerCycle).toBe(48);
    expect(data.points.map((point) => [point.op, point.intensity, point.rate])).toEqual([['a', 2, 0.25], ['b', undefined, 0.5]]);
  });
});

describe('tables', () => {
  const rows = [{ n: 1.25, s: '=x' }, { n: 20, s: 'b,c' }];
  it('filter by text and by number', () => {
    expect(passes(5, '>4') && !passes(4, '>4') && passes(0.5, '>=50', true) && !passes('a', '<3')).toBe(true);
    expect(passes('Matmul', 'mat') && passes('a', '=A') && !passes('ab', '=a') && passes('x', '!y')).toBe(true);
  });
  it('align decimals by column', () => expect([decimalsOf(rows, 'n'), decimalsOf([{ n: 20000.5 }], 'n'), decimalsOf([{ n: 3 }], 'n')]).toEqual([2, 0, 0]));
  it('write CSV without formulas', () => expect(csvText([{ key: 'n', title: 'n' }, { key: 's', title: 's' }], rows)).toBe("n,s\n1.25,'=x\n20,\"b,c\"\n"));
});

const many = (count: number): Graph => ({
  name: 'g', edges: Array.from({ length: count - 1 }, (_, i) => ({ from: i, to: i + 1, operand: 0, tms: '' })),
  nodes: Array.from({ length: count }, (_, i) => ({ name: `layer.${Math.floor(i / 20)}.op${i}`, title: 'add', kind: 'op' as const, origin: `layer.${Math.floor(i / 20)}.op${i}`, epoch: Math.floor(i / 100), fields: { chip: 0 } })),
});
describe('groups of a graph', () => {
  it('are drawn as one node until they are opened', () => {
    const graph = many(400);
    expect(firstGrouping(graph)).toBe('epoch');
    const closed = collapse(graph, 'epoch', new Set());
    expect(closed.graph.nodes.map((node) => node.name)).toEqual(['epoch 0', 'epoch 1', 'epoch 2', 'epoch 3']);
    expect(closed.graph.edges.length).toBe(3);
    const open = collapse(graph, 'epoch', new Set(['epoch 1']));
    expect(open.graph.nodes.length).toBe(103);
    expect(open.members.reduce((sum, list) => sum + list.length, 0)).toBe(400);
  });
  it('follow the scopes of names', () => {
    const names = many(400).nodes.map((node) => node.name);
    expect(scopeOf(names[45] ?? '', scopeDepth(names))).toBe('layer.2');
    expect(collapse(many(400), 'scope', new Set()).graph.nodes.length).toBe(20);
  });
  it('leave small graphs whole', () => expect(firstGrouping(many(50))).toBe('none'));
});

describe('labels', () => {
  const measure = (text: string) => 6 * text.length;
  it('do not overlap', () => {
    const labels = Array.from({ length: 300 }, (_, i) => ({ x: (i * 37) % 400, y: (i * 53) % 300, text: `label ${i}`, room: 40, ink: '' }));
    const boxes = placeLabels(labels, measure).map(({ box }) => box);
    expect(boxes.length).toBeGreaterThan(40);
    for (const a of boxes) for (const b of boxes) if (a !== b) expect(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h, `${a.text} and ${b.text}`).toBe(false);
  });
  it('are shortened to their room', () => {
    const label = (room: number) => placeLabels([{ x: 0, y: 0, text: 'attention', room, ink: '' }], measure).map(({ box }) => box.text);
    expect(label(20)).toEqual(['att\u2026on']);
    expect(label(6)).toEqual([]);
  });
});

describe('memory', () => {
  it('has a scale for each region of addresses', () => {
    const piece = (address: number, size: number) => ({ queue: 'q', channel: 0, address, size, used: undefined });
    expect(regions([piece(0, 100), piece(110, 100), piece(100000, 50)])).toEqual([[0, 210], [100000, 100050]]);
  });
  it('names buffers by what they hold', () => {
    const op = { name: 'b', type: 'add', graph: 'g', chip: 0, grid: [1, 1] as [number, number], t: 1, mblock: [1, 1] as [number, number], ublock: [1, 1] as [number, number], order: 'r' as const, inputs: [{ from: 'a' }], df: '', fidelity: '', line: 1 };
    const model = new Model({ name: 'r', files: [], notes: [], ops: [op, { ...op, name: 'a', type: 'matmul', inputs: [] }], queues: [], epochs: [] });
    expect(bufferName(model, 'b', 'input 0')).toBe('input 0: a (matmul)');
    expect(bufferName(model, 'b', 'output')).toBe('output: b');
  });
});
