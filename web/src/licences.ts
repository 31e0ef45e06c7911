// Names, versions and licence texts of the bundled libraries; the build puts them into the page (vite.config.ts).
import { el } from './dom';

interface Bundled {
  name: string;
  version: string;
  licence: string;
  text: string;
}

export function licences(): HTMLElement {
  const text = document.getElementById('ttsim-licences')?.textContent ?? '[]';
  const parts = JSON.parse(text) as Bundled[];
  return el('div', { id: 'licences' }, ...parts.map((part) =>
    el('details', {}, el('summary', {}, `${part.name} ${part.version} (${part.licence})`), el('pre', { tabindex: 0 }, part.text))));
}
