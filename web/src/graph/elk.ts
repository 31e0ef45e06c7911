// ELK's layered layout in a worker: fewer crossings, for graphs small enough for it.
import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import workerText from 'elkjs/lib/elk-worker.min.js?raw';
import type { Graph } from './graph';
import { boxGap, boxHeight, boxWidth, layerGap, movedToOrigin, type Layout } from './layout';

export const mostElkEdges = 600;

/** The worker's script is text in the page, so that it costs nothing before a graph is shown. */
function elkWorker(): Worker {
  const address = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  const worker = new Worker(address);
  worker.addEventListener('message', () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

export async function elkLayout(graph: Graph): Promise<Layout> {
  const elk = new ELK({ workerFactory: elkWorker });
  try {
    const placed: ElkNode = await elk.layout({
      id: 'graph',
      layoutOptions: {
        'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.spacing.nodeNode': String(boxGap),
        'elk.layered.spacing.nodeNodeBetweenLayers': String(layerGap), 'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
      },
      children: graph.nodes.map((node, i) => ({ id: String(i), width: boxWidth(node), height: boxHeight })),
      edges: graph.edges.map((edge, i) => ({ id: `e${i}`, sources: [String(edge.from)], targets: [String(edge.to)] })),
    });
    return movedToOrigin((placed.children ?? []).map((box) => ({ x: box.x ?? 0, y: box.y ?? 0, w: box.width ?? 0, h: box.height ?? 0 })));
  } finally {
    elk.terminateWorker();
  }
}
