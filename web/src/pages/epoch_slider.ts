// Selects an epoch with a slider, or with the arrow keys anywhere on the page.
import { el } from '../dom';
import type { Model } from '../model';

export interface EpochSlider {
  element: HTMLElement;
  set: (epoch: number) => void;
}

const mostGraphs = 3;

export function epochSlider(model: Model, epoch: number, change: (epoch: number) => void): EpochSlider {
  const last = Math.max(0, model.epochs.length - 1);
  const says = el('span', { id: 'epoch-name' });
  const input = el('input', { id: 'epoch', type: 'range', min: 0, max: last, value: epoch, 'aria-label': 'epoch', oninput: () => set(Number(input.value)) });
  const tell = (value: number) => {
    input.value = String(value);
    const graphs = model.epochs[value]?.graphs ?? [];
    says.textContent = `${value} of ${last}: ${graphs.slice(0, mostGraphs).join(', ')}${graphs.length > mostGraphs ? ` and ${graphs.length - mostGraphs} more` : ''}`;
    says.title = graphs.join(', ');
  };
  const set = (value: number) => { tell(value); change(value); };
  const key = (event: KeyboardEvent) => {
    // the page of the slider may have been removed
    if (!input.isConnected) { document.removeEventListener('keydown', key); return; }
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    const next = Math.max(0, Math.min(last, Number(input.value) + step));
    if (step !== 0 && next !== Number(input.value)) set(next);
  };
  document.addEventListener('keydown', key);
  tell(epoch);
  return { element: el('label', { class: 'choice' }, 'Epoch ', input, ' ', says), set: tell };
}
