import './style.css';
import { App } from './app';
import { readPage } from './data';
import { el } from './dom';

async function start(): Promise<void> {
  const place = document.getElementById('app');
  const text = document.getElementById('ttsim-data')?.textContent ?? '';
  if (!place) return;
  try {
    const { data, sections } = await readPage(text);
    await new App(place, data, sections).fromHash();
  } catch (error) {
    // show the error, since the page would stay empty
    place.append(el('p', { class: 'bad', role: 'alert' }, `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
    throw error;
  }
}

void start();
