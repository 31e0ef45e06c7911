// All passes of the compiler as graphs, followed by the placed netlist.
import { legend, partEntries, partStyles, shareColour, shareLegend, themed, wordColour } from '../colour';
import type { Run } from '../data';
import { choice, clear, el } from '../dom';
import { number, percent } from '../format';
import { causes, Model, type OpTime } from '../model';
import type { State } from '../state';
import { collapse, firstGrouping, groupKeys, type Collapsed, type GroupBy } from '../graph/collapse';
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

/** By op: its cycles for an input and their share of the run's cycles, and its share of the cycles of all ops. Ops run side
 *  by side, so that their cycles together exceed the run's. */
function notesOf(run: Run): Map<string, { text: string; share: number }> {
  const all = (run.trace?.ops ?? []).map((row) => ({ op: String(row.op), cycles: Number(row.bw_kernel), total: Number(row.bw_kernel) * Number(row.inputs) }));
  const cycles = Math.max(1, Number(run.trace?.run.cycles ?? 1));
  const ofAll = Math.max(1, all.reduce((sum, { total }) => sum + total, 0));
  return new Map(all.map(({ op, cycles: each, total }) => [op, { text: `${number(Math.round(each))} cycles, ${percent(total / cycles)}`, share: total / ofAll }]));
}

/** A graph with its grouping, drawn in a view. */
class Pane {
  readonly view: GraphView;
  whole: Graph = { name: '', nodes: [], edges: [] };
  by: GroupBy = 'none';
  open = new Set<string>();
  shown: Collapsed = collapse(this.whole, 'none', this.open);

  constructor(id: string, choose: (node: number) => void, private readonly notes: Map<string, { text: string; share: number }>) {
    this.view = new GraphView(this.shown.graph, layered(this.shown.graph), (at) => {
      if (this.shown.original[at] === -1) this.expand(this.shown.keys[at] ?? '');
      else choose(this.shown.original[at] ?? -1);
    }, id);
  }
  set(graph: Graph, by: GroupBy | undefined): void {
    this.whole = { ...graph, nodes: graph.nodes.map((node) => { const note = node.kind === 'op' ? this.notes.get(node.name)?.text : undefined; return note ? { ...node, note } : node; }) };
    this.by = by ?? firstGrouping(graph);
    this.open.clear();
    this.lay();
  }
  expand(key: string): void {
    this.open.add(key);
    this.lay();
  }
  collapseAll(): void {
    this.open.clear();
    this.lay();
  }
  /** Lays the graph out: by layers at once, and by ELK when that is done, if it is small enough. */
  lay(): void {
    this.shown = collapse(this.whole, this.by, this.open);
    const graph = this.shown.graph;
    graph.nodes.forEach((node, i) => {
      if (node.kind !== 'group') return;
      const share = (this.shown.members[i] ?? []).reduce((sum, at) => sum + (this.notes.get(this.whole.nodes[at]?.name ?? '')?.share ?? 0), 0);
      if (share > 0) node.note = `${percent(share)} of the cycles of ops`;
    });
    const canvas = this.view.canvas;
    this.view.show(graph, layered(graph));
    canvas.dataset.graph = graph.name;
    canvas.dataset.layout = 'layered';
    if (graph.edges.length > 0 && graph.edges.length <= mostElkEdges)
      void elkLayout(graph).then((layout) => {
        if (this.shown.graph !== graph) return;
        this.view.show(graph, layout);
        canvas.dataset.layout = 'elk';
      });
  }
  /** Shows a node of the whole graph, in an opened group if need be. */
  mark(node: number, bring: boolean): void {
    if (node >= 0 && !this.shown.original.includes(node)) {
      const keys = groupKeys(this.whole, this.by), producer = this.whole.edges.find((edge) => edge.to === node)?.from ?? node;
      // a queue between closed groups is an edge
      this.expand(keys[node] || (keys[producer] ?? ''));
    }
    this.view.mark(node < 0 ? -1 : this.shown.original.indexOf(node), bring);
  }
}

export function graphsPage(run: Run, state: State): HTMLElement {
  const list = graphsOf(run);
  if (list.length === 0) return el('p', { class: 'empty' }, 'There is no netlist and no pass in this run.');
  const model = run.ops ? new Model(run) : null;
  const asked = list.findIndex((one) => one.name === state.get('pass'));
  let at = asked >= 0 ? asked : list.length - 1, against = -1, found: number[] = [], next = 0, beside = false;
  const side = el('div', { class: 'side' }), said = el('span', { id: 'graph-size', class: 'hint' }), key = el('div');
  const notes = notesOf(run);
  const pane = new Pane('graph', (node) => open(node, false), notes);
  const other = new Pane('graph-before', () => undefined, notes);
  const views = el('div', { class: 'graphs' }, pane.view.box);
  let grouping: GroupBy | undefined = state.get('group') as GroupBy | undefined;

  function show(): void {
    const graph = list[at]?.make() ?? pane.whole;
    const before = against >= 0 ? list[against]?.make() : undefined;
    const changed: Difference | null = before ? difference(before, graph) : null;
    pane.view.changes = changed?.changes ?? new Map<string, never>();
    // differences are marked on nodes, so nothing is grouped
    pane.set(graph, changed ? 'none' : grouping);
    if (beside && before) {
      if (!other.view.box.isConnected) views.prepend(other.view.box);
      other.set(before, 'none');
    } else other.view.box.remove();
    const select = page.querySelector<HTMLSelectElement>('#group');
    if (select) select.value = pane.by;
    const count = (what: string) => [...pane.view.changes.values()].filter((change) => change === what).length;
    const saved = graph.edges.filter((edge) => edge.saved).length;
    said.textContent = `${graph.nodes.length} nodes, ${graph.edges.length} edges${saved > 0 ? `, ${saved} of them from the forward to the backward program` : ''}${changed ? `; ${count('new')} new (green), ${count('changed')} changed (orange), ${changed.gone.length} removed` : ''}`;
    clear(side);
    side.append(el('p', { class: 'hint' }, 'Click a node to show all of its fields, a group to open it.'));
    if (changed && changed.gone.length > 0) side.append(el('h2', {}, 'Removed'), el('p', { id: 'gone' }, changed.gone.slice(0, 200).join(', ')));
    state.set({ pass: at === list.length - 1 ? undefined : list[at]?.name });
  }
  function open(node: number, bring: boolean): void {
    const one = pane.whole.nodes[node];
    pane.mark(node, bring);
    if (!one) return;
    pane.view.canvas.dataset.chosen = one.name;
    state.set({ op: one.name });
    clear(side);
    side.append(panel(one, node));
  }
  function link(name: string, to: number, more = ''): HTMLElement {
    return el('li', {}, el('button', { class: 'link', 'data-link': name, onclick: () => open(to, true) }, name), more === '' ? '' : ` (${more})`);
  }
  function panel(node: GraphNode, index: number): HTMLElement {
    const graph = pane.whole;
    const box = el('div', { id: 'details' }, el('h2', {}, node.name), node.note ? el('p', {}, `${node.note} of the run`) : null, el('h2', {}, 'Inputs'));
    const inputs = el('ul'), outputs = el('ul'), fields = el('dl', { class: 'facts' }), others = el('ul', { id: 'across' });
    for (const edge of graph.edges) {
      const from = graph.nodes[edge.from], to = graph.nodes[edge.to];
      const more = [edge.tms, edge.saved ? 'forward to backward' : ''].filter(Boolean).join('; ');
      if (edge.to === index && from) inputs.append(link(from.name, edge.from, more));
      if (edge.from === index && to) outputs.append(link(to.name, edge.to, more));
    }
    for (const [name, value] of Object.entries(node.fields)) fields.append(el('dt', {}, name), el('dd', {}, typeof value === 'string' ? value : JSON.stringify(value)));
    list.forEach((pass, i) => {
      if (i === at) return;
      const there = follow(node, pass.make());
      if (there.length === 0) return;
      others.append(el('li', {}, el('button', { class: 'link', 'data-pass': pass.name, onclick: () => { at = i; pick(); open(pane.whole.nodes.findIndex((n) => n.name === there[0]?.name), true); } }, pass.name), `: ${there.slice(0, 6).map((n) => n.name).join(', ')}${there.length > 6 ? ', ...' : ''}`));
    });
    box.append(inputs, el('h2', {}, 'Outputs'), outputs, el('h2', {}, 'Fields'), fields);
    if (others.childNodes.length > 0) box.append(el('h2', {}, 'In other passes, from the model to the netlist'), others);
    return box;
  }
  function pick(): void {
    const select = page.querySelector<HTMLSelectElement>('#pass');
    if (select) select.value = String(at);
    show();
  }
  const input = el('input', { type: 'search', id: 'search', 'aria-label': 'search nodes', placeholder: 'search (/), Enter: next', onkeydown: (e) => {
    const pressed = (e as KeyboardEvent).key;
    if (pressed === 'Escape') { input.blur(); return; }
    if (pressed !== 'Enter') return;
    const again = search(pane.whole, input.value);
    next = again.join() === found.join() ? next + 1 : 0;
    found = again;
    const hit = found[next % Math.max(1, found.length)];
    input.dataset.found = String(found.length);
    if (hit !== undefined) open(hit, true);
  } });
  const colourBy = (by: string) => {
    const times = new Map<string, OpTime>();
    if (model && by !== 'type') model.epochs.forEach((_, epoch) => model.times(epoch).forEach((time, op) => times.set(op, time)));
    pane.view.colourOf = (name, title) => {
      const time = times.get(name);
      return by === 'type' ? wordColour(title) : !time ? '#b9bec5' : by === 'busy' ? shareColour(time.busyShare) : partStyles[time.limit].colour;
    };
    clear(key);
    key.append(by === 'busy' ? shareLegend('Busy share of the op') : by === 'cause' ? legend(partEntries(causes), 'Most cycles of the op') : el('div', { class: 'legend' }, el('b', {}, 'Ops'), 'a colour for each type'),
      legend([['activation', 'var(--act)'], ['parameter', 'var(--param)'], ...(trains ? [['forward to backward', themed('--input')] as [string, string]] : [])], 'Ovals'));
    pane.view.draw();
  };
  const trains = run.ops?.some((op) => op.epoch_type !== undefined) ?? run.passes?.some((pass) => pass.nodes.some((node) => node.phase === 'backward'));
  const passes = list.map((one, i): [string, string] => [String(i), one.name]);
  const edgeBox = el('input', { type: 'checkbox', id: 'edge-labels', onchange: () => { pane.view.edgeLabels = edgeBox.checked; pane.view.draw(); } });
  const besideBox = el('input', { type: 'checkbox', id: 'beside', onchange: () => { beside = besideBox.checked; show(); } });
  const page = el('div', {},
    el('div', { class: 'bar' },
      choice('Pass', 'pass', passes, String(at), (value) => { at = Number(value); show(); }),
      list.length > 1 ? choice('Difference to', 'against', [['-1', 'none'], ...passes], '-1', (value) => { against = Number(value); show(); }) : null,
      list.length > 1 ? el('label', { class: 'choice' }, besideBox, ' side by side') : null,
      choice('Groups', 'group', [['none', 'none'], ['epoch', 'epochs'], ['scope', 'layers'], ['chip', 'chips']], grouping ?? 'none', (value) => { grouping = value as GroupBy; state.set({ group: value }); show(); }),
      el('button', { onclick: () => pane.collapseAll() }, 'Close groups'),
      run.trace ? choice('Colours', 'graph-colours', [['type', 'type of op'], ['busy', 'busy share'], ['cause', 'limiting cause']], 'type', colourBy) : null,
      el('label', { class: 'choice' }, edgeBox, ' edge labels'),
      input, el('button', { id: 'fit', onclick: () => pane.view.fit() }, 'Fit'), el('button', { 'aria-label': 'zoom in', onclick: () => pane.view.zoom(1.25) }, '+'), el('button', { 'aria-label': 'zoom out', onclick: () => pane.view.zoom(0.8) }, '-'), said),
    key, el('div', { class: 'split' }, views, side));
  // the canvas has no size before it is on the page
  requestAnimationFrame(() => {
    const wanted = state.get('op');
    colourBy('type');
    show();
    const to = wanted === undefined ? -1 : pane.whole.nodes.findIndex((node) => node.name === wanted);
    if (to >= 0) open(to, true);
  });
  return page;
}
