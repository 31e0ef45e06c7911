// The details panel: all properties of an op or a queue, with links.
import { el } from '../dom';
import { bytes, hex, number, percent } from '../format';
import { partCss, partStyles } from '../colour';
import { causes, type Model, type OpTime } from '../model';

function links(title: string, names: [name: string, more: string][], open: (name: string) => void): HTMLElement | null {
  if (names.length === 0) return null;
  const list = el('ul');
  for (const [name, more] of names)
    list.append(el('li', {}, el('button', { class: 'link', 'data-link': name, onclick: () => open(name) }, name), more === '' ? '' : ` (${more})`));
  return el('div', {}, el('h2', {}, title), list);
}

export function details(model: Model, name: string, time: OpTime | undefined, open: (name: string) => void): HTMLElement {
  const op = model.ops.get(name);
  const queue = model.queues.get(name);
  const box = el('div', { id: 'details' }, el('h2', {}, name));
  if (op) box.append(el('p', {}, `${op.type}, ${op.grid[0]} x ${op.grid[1]} cores${op.at ? ` from ${op.at[0]},${op.at[1]}` : ''} of chip ${op.chip}, epoch ${model.epochOf.get(name) ?? 'none'}`));
  if (queue) {
    box.append(el('p', {}, `${queue.type} in ${queue.place} of chip ${queue.chip}, ${queue.entries} entries, ${queue.buffers.length} buffers of ${bytes(queue.buffer_bytes)}`));
    box.append(el('p', {}, queue.buffers.slice(0, 16).map(([channel, address]) => `${channel}: ${hex(address)}`).join(', ')));
  }
  if (time) {
    const list = el('ul', { class: 'plain' });
    causes.forEach((cause, i) => {
      const part = time.parts[i] ?? 0;
      if (part > 0) list.append(el('li', {}, el('i', { class: 'swatch', style: `background:${partCss(cause)}` }), `${partStyles[cause].name}: ${percent(part / Math.max(1, time.cycles))}`));
    });
    box.append(el('h2', {}, `Cycles of its cores (${number(time.cycles)})`), list);
  }
  const epochs = (other: string) => {
    const at = model.epochOf.get(other);
    return at === undefined || at === model.epochOf.get(name) ? '' : `epoch ${at}`;
  };
  const join = (...parts: string[]) => parts.filter((part) => part !== '').join('; ');
  const inputs = links('Inputs', (model.into.get(name) ?? []).map((edge) => [edge.from, join(edge.tms, edge.reblock && `reblocked: ${edge.reblock}`, epochs(edge.from))]), open);
  const outputs = links('Outputs', (model.outOf.get(name) ?? []).map((edge) => [edge.to, join(edge.tms, edge.reblock && `reblocked: ${edge.reblock}`, epochs(edge.to))]), open);
  if (inputs) box.append(inputs);
  if (outputs) box.append(outputs);
  const text = model.entry(name);
  if (text !== '') box.append(el('h2', {}, 'Netlist'), el('pre', { id: 'entry' }, text));
  return box;
}
