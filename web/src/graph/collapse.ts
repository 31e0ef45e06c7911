// Groups of nodes drawn as one: by epoch, by layer (the scope in a name) or by chip.
import type { Graph, GraphNode } from './graph';

export type GroupBy = 'none' | 'epoch' | 'scope' | 'chip';

/** Separators of scopes in names of models and of netlists: 'layer.0.attn.q', 'encoder/layer_0/q'. */
const parts = (name: string): string[] => name.split(/[./]/);
const mostGroups = 60;

/** Names start with these scopes; the longest depth that gives at most `mostGroups` groups and puts ops together. */
export function scopeDepth(names: string[]): number {
  let depth = 0;
  for (let next = 1; next <= 8; ++next) {
    const groups = new Set(names.map((name) => scopeOf(name, next)));
    if (groups.size > mostGroups || groups.size > names.length * 0.7) break;
    depth = next;
  }
  return depth;
}
/** The first `depth` scopes of a name, without its last part. */
export function scopeOf(name: string, depth: number): string {
  const list = parts(name);
  return list.slice(0, Math.min(depth, Math.max(1, list.length - 1))).join('.');
}

export interface Collapsed {
  graph: Graph;
  /** Index in the whole graph of a node that stands for itself; -1: a group. */
  original: number[];
  /** Nodes of the whole graph in each node. */
  members: number[][];
  /** The group that a node was drawn in or stands for; '' = none. */
  keys: string[];
}

/** The group of each node; '' = none. Queues and values belong to the group of their only neighbours. */
export function groupKeys(graph: Graph, by: GroupBy): string[] {
  if (by === 'none') return graph.nodes.map(() => '');
  const depth = by === 'scope' ? scopeDepth(graph.nodes.filter((node) => node.kind === 'op').map((node) => node.origin)) : 0;
  const key = (node: GraphNode): string => {
    if (by === 'scope') return depth > 0 ? scopeOf(node.origin, depth) : '';
    const value = by === 'epoch' ? node.epoch : node.fields.chip;
    return typeof value === 'number' ? `${by} ${value}` : '';
  };
  const keys = graph.nodes.map((node) => (node.kind === 'op' ? key(node) : ''));
  const near = graph.nodes.map(() => new Set<string>());
  for (const edge of graph.edges) {
    if (graph.nodes[edge.from]?.kind !== 'op') near[edge.from]?.add(keys[edge.to] ?? '');
    if (graph.nodes[edge.to]?.kind !== 'op') near[edge.to]?.add(keys[edge.from] ?? '');
  }
  return keys.map((own, i) => {
    const only = [...(near[i] ?? [])];
    return graph.nodes[i]?.kind !== 'op' && only.length === 1 ? only[0] ?? '' : own;
  });
}

/** Queues and values that one closed group writes and others read: edges between the groups. Their producers, by node. */
function linksOf(graph: Graph, keys: string[], closed: (node: number) => boolean): Map<number, number> {
  const producer = new Map<number, number>(), read = new Set<number>(), shown = new Set<number>();
  const isLink = (node: number) => graph.nodes[node]?.kind === 'activation' && keys[node] === '';
  for (const edge of graph.edges) {
    if (isLink(edge.to)) { producer.set(edge.to, edge.from); if (!closed(edge.from)) shown.add(edge.to); }
    if (isLink(edge.from)) { read.add(edge.from); if (!closed(edge.to)) shown.add(edge.from); }
  }
  return new Map([...producer].filter(([node]) => read.has(node) && !shown.has(node)));
}

/** `open`: groups whose nodes are drawn. A group of one node is that node. */
export function collapse(graph: Graph, by: GroupBy, open: Set<string>): Collapsed {
  const keys = groupKeys(graph, by);
  const sizes = new Map<string, number>();
  for (const key of keys) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const result: Collapsed = { graph: { name: graph.name, nodes: [], edges: [] }, original: [], members: [], keys: [] };
  const groups = new Map<string, number>();
  const isAlone = (node: number) => keys[node] === '' || open.has(keys[node] ?? '') || sizes.get(keys[node] ?? '') === 1;
  const links = linksOf(graph, keys, (node) => !isAlone(node));
  const place = graph.nodes.map((node, i) => {
    if (links.has(i)) return -1;
    const key = keys[i] ?? '', alone = isAlone(i);
    const known = alone ? undefined : groups.get(key);
    if (known !== undefined) { result.members[known]?.push(i); return known; }
    const at = result.graph.nodes.length;
    result.original.push(alone ? i : -1);
    result.members.push([i]);
    result.keys.push(key);
    result.graph.nodes.push(alone ? node : { name: key, title: 'group', kind: 'group', origin: key, fields: {}, ...(by === 'epoch' && node.epoch !== undefined ? { epoch: node.epoch } : {}) });
    if (!alone) groups.set(key, at);
    return at;
  });
  result.members.forEach((members, at) => {
    const node = result.graph.nodes[at];
    if (node?.kind !== 'group') return;
    const ops = members.filter((i) => graph.nodes[i]?.kind === 'op').length;
    node.title = `${ops} ops${members.length > ops ? `, ${members.length - ops} queues and values` : ''}`;
  });
  const joined = new Map<string, number>();
  for (const edge of graph.edges) {
    if (links.has(edge.to)) continue;
    const from = place[links.get(edge.from) ?? edge.from] ?? 0, to = place[edge.to] ?? 0;
    if (from === to) continue;
    const single = result.original[from] !== -1 && result.original[to] !== -1;
    const name = `${from} ${to}`, known = joined.get(name);
    if (!single && known !== undefined) {
      const first = result.graph.edges[known];
      if (first) first.count = (first.count ?? 1) + 1;
      continue;
    }
    if (!single) joined.set(name, result.graph.edges.length);
    result.graph.edges.push({ ...edge, from, to, ...(single ? {} : { tms: '' }) });
  }
  return result;
}

/** The grouping to start with: none for graphs that can be read whole. */
export function firstGrouping(graph: Graph): GroupBy {
  const few = 160;
  if (graph.nodes.length <= few) return 'none';
  const sizes = (['epoch', 'scope', 'chip'] as const).map((by): [GroupBy, number] => [by, collapse(graph, by, new Set()).graph.nodes.length]);
  const [first] = sizes.find(([, count]) => count > 1 && count <= few) ?? [];
  const [fewest, count] = sizes.filter(([, nodes]) => nodes > 1).sort((a, b) => a[1] - b[1])[0] ?? ['none', Infinity];
  return first ?? (count * 4 <= graph.nodes.length ? fewest : 'none');
}
