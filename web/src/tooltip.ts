// One tooltip for pictures: it follows the pointer and stays inside the window.
import { clear, el } from './dom';

let box: HTMLElement | undefined;

function place(): HTMLElement {
  if (!box?.isConnected) {
    box = el('div', { id: 'tooltip', role: 'status', hidden: true });
    document.body.append(box);
  }
  return box;
}

export function showTooltip(x: number, y: number, title: string, lines: [name: string, value: string][]): void {
  const tip = place();
  clear(tip);
  tip.append(el('b', {}, title), el('dl', {}, ...lines.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - width - 6))}px`;
  tip.style.top = `${Math.max(4, y + 18 + height > window.innerHeight ? y - height - 10 : y + 18)}px`;
}
export function hideTooltip(): void {
  if (box) box.hidden = true;
}
/** Shows a tooltip while the pointer or the focus is on an element. */
export function tooltip(element: Element, title: string, lines: () => [name: string, value: string][]): void {
  element.addEventListener('pointermove', (event) => showTooltip((event as PointerEvent).clientX, (event as PointerEvent).clientY, title, lines()));
  element.addEventListener('pointerleave', hideTooltip);
  element.addEventListener('focus', () => { const at = element.getBoundingClientRect(); showTooltip(at.left, at.bottom, title, lines()); });
  element.addEventListener('blur', hideTooltip);
}
