// Creates elements in one call. Text is always inserted as text nodes, since names come from files.
type Child = Node | string | number | null | undefined;
type Props = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function clear(parent: Node): void {
  while (parent.firstChild) parent.removeChild(parent.firstChild);
}

const svgSpace = 'http://www.w3.org/2000/svg';
export function svg(tag: string, props: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
  for (const child of children) element.appendChild(child instanceof Node ? child : document.createTextNode(child));
  return element;
}

/** A labelled selection list. */
export function choice(label: string, id: string, options: [value: string, text: string][], chosen: string, change: (value: string) => void): HTMLElement {
  const select = el('select', { id, onchange: () => change(select.value) });
  for (const [value, text] of options) select.append(el('option', { value, selected: value === chosen }, text));
  return el('label', { class: 'choice' }, `${label} `, select);
}
