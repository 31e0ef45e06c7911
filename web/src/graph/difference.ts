// Differences between the graphs of two passes, and the corresponding nodes in other passes.
import type { Graph, GraphNode } from './graph';

export type Change = 'same' | 'new' | 'changed';

/** A node's properties, independent of its position in the list. */
function signature(graph: Graph): Map<string, string> {
  const inputs = graph.nodes.map((): string[] => []);
  for (const edge of graph.edges) inputs[edge.to]?.push(`${graph.nodes[edge.from]?.name} ${edge.tms}`);
  return new Map(graph.nodes.map((node, i) => [node.name, JSON.stringify([node.title, node.fields, inputs[i]])]));
}

export interface Difference {
  changes: Map<string, Change>;
  /** Names of removed nodes. */
  gone: string[];
}

export function difference(before: Graph, after: Graph): Difference {
  const old = signature(before), now = signature(after);
  const changes = new Map<string, Change>();
  for (const [name, text] of now) changes.set(name, !old.has(name) ? 'new' : old.get(name) === text ? 'same' : 'changed');
  return { changes, gone: [...old.keys()].filter((name) => !now.has(name)) };
}

/** The node of the same name, or the nodes with the same origin in the model. */
export function follow(node: GraphNode, graph: Graph): GraphNode[] {
  const named = graph.nodes.filter((other) => other.name === node.name);
  if (named.length > 0) return named;
  return graph.nodes.filter((other) => other.kind === 'op' && (other.origin === node.origin || other.origin === node.name || other.name === node.origin || other.name.startsWith(`${node.name}.`)));
}
