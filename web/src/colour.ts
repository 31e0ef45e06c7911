// Colours with a meaning, for both themes.
import type { Cause } from './model';
import { el } from './dom';

export const causeColours: Record<Cause, string> = {
  busy: '#2f9e44', wait_source: '#adb5bd', wait_noc: '#f08c00', wait_dram: '#e03131', wait_room: '#868e96',
  wait_output: '#9c36b5', wait_dst: '#1c7ed6', wait_pack: '#0ca678', drain: '#74c0fc',
};
export const causeNames: Record<Cause, string> = {
  busy: 'busy', wait_source: 'waits for the producer', wait_noc: 'waits for tiles on the NoC', wait_dram: 'waits for tiles from DRAM',
  wait_room: 'waits for space at consumers', wait_output: 'waits for its output to be sent', wait_dst: 'waits for Dst', wait_pack: 'waits for its packer', drain: 'packs the last tiles',
};

/** A colour for a word, the same in every page and run. */
export function wordColour(word: string): string {
  let hash = 2166136261;
  for (let i = 0; i < word.length; ++i) hash = Math.imul(hash ^ word.charCodeAt(i), 16777619);
  return `hsl(${(hash >>> 0) % 360} 55% 60%)`;
}
/** A colour from grey (0) to green (1). */
export function shareColour(share: number): string {
  const kept = Math.max(0, Math.min(1, share));
  return `hsl(140 ${Math.round(70 * kept)}% ${Math.round(80 - 35 * kept)}%)`;
}
export function themed(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
export function legend(entries: [name: string, colour: string][]): HTMLElement {
  return el('div', { class: 'legend' }, ...entries.map(([name, colour]) => el('span', {}, el('i', { style: `background:${colour}` }), name)));
}
