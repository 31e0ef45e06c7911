// All passes of the compiler as graphs, followed by the placed netlist.
import { causeColours, legend, shareColour, themed, wordColour } from '../colour';
import type { Run } from '../data';
import { choice, clear, el } from '../dom';
import { Model, type OpTime } from '../model';
import { difference, follow, type Difference } from '../graph/difference';
import { elkLayout, mostElkEdges } from '../graph/elk';
import { graphsOf, type Graph, type GraphNode } from '../graph/graph';
import { layered } from '../graph/layout';
import { GraphView } from '../graph/view';

/** Nodes whose name contains the text, followed by nodes whose type does. */
export function search(graph: Graph, text: string): number[] {
  const word = text.toLowerCase();
  if (word === '') return [];
  const hit = (of: (node: GraphNode) => string) => graph.nodes.flatMap((node, i) => (of(node).toLowerCase().includes(word) ? [i] : []));
  return [...new Set([...hit((node) => node.name), ...hit((node) => node.title)])];
}

export function graphsPage(run: Run, wanted: string): HTMLElement {
  const list = graphsOf(run);
  if (list.length === 0) return el('p', { class: 'empty' }, 'There is no netlist and no pass in this run.');
  const model = run.ops ? new Model(run) : null;
  let at = list.length - 1, against = -1, found: number[] = [], next = 0;
  let graph: Graph = list[at]?.make() ?? { name: '', nodes: [], edges: [] };
  const side = el('div', { class: 'side' }), said = el('span', { id: 'graph-size', class: 'hint' });
  const view = new GraphView(graph, layered(graph), (node) => open(node, false));

  function show(): void {
    graph = list[at]?.make() ?? graph;
    const before = against >= 0 ? list[against]?.make() : undefined;
    const changed: Difference | null = before ? difference(before, graph) : null;
    view.changes = changed?.changes ?? new Map<string, never>();
    view.show(graph, layered(graph));
    const count = (what: string) => [...view.changes.values()].filter((change) => change === what).length;
    const saved = graph.edges.filter((edge) => edge.saved).length;
    said.textContent = `${graph.nodes.length} nodes, ${graph.edges.length} edges${saved > 0 ? `, ${saved} of them from the forward to the backward program` : ''}${changed ? `; ${count('new')} new (green), ${count('changed')} changed (orange), ${changed.gone.length} removed` : ''}`;
    view.canvas.dataset.graph = graph.name;
    view.canvas.dataset.layout = 'layered';
    clear(side);
    side.append(el('p', { class: 'hint' }, 'Click a node to show all of its fields.'));
    if (changed && changed.gone.length > 0) side.append(el('h2', {}, 'Removed'), el('p', { id: 'gone' }, changed.gone.slice(0, 200).join(', ')));
    const shown = graph;
    if (graph.edges.length > 0 && graph.edges.length <= mostElkEdges)
      void elkLayout(graph).then((layout) => {
        if (shown !== graph) return;
        view.show(graph, layout);
        view.canvas.dataset.layout = 'elk';
      });
  }
  function open(node: number, bring: boolean): void {
    const one = graph.nodes[node];
    view.mark(node, bring);
    if (!one) return;
    view.canvas.dataset.chosen = one.name;
    clear(side);
    side.append(panel(one, node));
  }
  function link(name: string, to: number, more = ''): HTMLElement {
    const go = () => open(to, true);
    return el('li', {}, el('a', { tabindex: 0, 'data-link': name, onclick: go, onkeydown: (e) => { if ((e as KeyboardEvent).key === 'Enter') go(); } }, name), more === '' ? '' : ` (${more})`);
  }
  function panel(node: GraphNode, index: number): HTMLElement {
    const box = el('div', { id: 'details' }, el('h2', {}, node.name), el('h2', {}, 'Inputs'));
    const inputs = el('ul'), outputs = el('ul'), fields = el('dl', { class: 'facts' }), others = el('ul', { id: 'across' });
    for (const edge of graph.edges) {
      const from = graph.nodes[edge.from], to = graph.nodes[edge.to];
      const more = [edge.tms, edge.saved ? 'forward to backward' : ''].filter(Boolean).join('; ');
      if (edge.to === index && from) inputs.append(link(from.name, edge.from, more));
      if (edge.from === index && to) outputs.append(link(to.name, edge.to, more));
    }
    for (const [key, value] of Object.entries(node.fields)) fields.append(el('dt', {}, key), el('dd', {}, typeof value === 'string' ? value : JSON.stringify(value)));
    list.forEach((other, i) => {
      if (i === at) return;
      const there = follow(node, other.make());
      if (there.length === 0) return;
      others.append(el('li', {}, el('a', { tabindex: 0, 'data-pass': other.name, onclick: () => { at = i; pick(); const to = graph.nodes.findIndex((n) => n.name === there[0]?.name); open(to, true); } }, other.name), `: ${there.slice(0, 6).map((n) => n.name).join(', ')}${there.length > 6 ? ', ...' : ''}`));
    });
    box.append(inputs, el('h2', {}, 'Outputs'), outputs, el('h2', {}, 'Fields'), fields);
    if (others.childNodes.length > 0) box.append(el('h2', {}, 'In other passes'), others);
    return box;
  }
  function pick(): void {
    const select = page.querySelector<HTMLSelectElement>('#pass');
    if (select) select.value = String(at);
    show();
  }
  const input = el('input', { type: 'search', id: 'search', placeholder: 'search (/), Enter: next', onkeydown: (e) => {
    const key = (e as KeyboardEvent).key;
    if (key === 'Escape') { input.blur(); return; }
    if (key !== 'Enter') return;
    const again = search(graph, input.value);
    next = again.join() === found.join() ? next + 1 : 0;
    found = again;
    const hit = found[next % Math.max(1, found.length)];
    input.dataset.found = String(found.length);
    if (hit !== undefined) open(hit, true);
  } });
  const colourBy = (by: string) => {
    const times = new Map<string, OpTime>();
    if (model && by !== 'type') model.epochs.forEach((_, epoch) => model.times(epoch).forEach((time, op) => times.set(op, time)));
    view.colourOf = (name, title) => {
      const time = times.get(name);
      return by === 'type' ? wordColour(title) : !time ? '#adb5bd' : by === 'busy' ? shareColour(time.busyShare) : causeColours[time.limit];
    };
    view.draw();
  };
  const trains = run.ops?.some((op) => op.epoch_type !== undefined) ?? run.passes?.some((pass) => pass.nodes.some((node) => node.phase === 'backward'));
  const passes = list.map((one, i): [string, string] => [String(i), one.name]);
  const page = el('div', {},
    el('div', { class: 'bar' },
      choice('Pass', 'pass', passes, String(at), (value) => { at = Number(value); show(); }),
      list.length > 1 ? choice('Difference to', 'against', [['-1', 'none'], ...passes], '-1', (value) => { against = Number(value); show(); }) : null,
      run.trace ? choice('Colours', 'graph-colours', [['type', 'type of op'], ['busy', 'busy share'], ['cause', 'limiting cause']], 'type', colourBy) : null,
      input, el('button', { id: 'fit', onclick: () => view.fit() }, 'Fit'), el('button', { onclick: () => view.zoom(1.25) }, '+'), el('button', { onclick: () => view.zoom(0.8) }, '-'), said),
    legend([['activation', themed('--act')], ['parameter', themed('--param')], ...(trains ? [['forward to backward', themed('--input')] as [string, string]] : [])]),
    el('div', { class: 'split' }, view.canvas, side));
  // the canvas has no size before it is on the page
  requestAnimationFrame(() => { show(); const to = graph.nodes.findIndex((node) => node.name === wanted); if (to >= 0) open(to, true); });
  return page;
}
