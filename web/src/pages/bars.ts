// Bars of time by cause: one for the run, one for each epoch.
import { partDefs, partEntries, partNames, partStyles, partUrl, legend, type Part } from '../colour';
import { el, svg } from '../dom';
import { number, percent, seconds } from '../format';
import { shortNameOf } from '../names';
import { runShares, type EpochShare } from '../shares';
import { tooltip } from '../tooltip';

const high = 20, gap = 5, mostEpochs = 40, times = 70;
/** As wide as the page, so that letters keep their size on a phone. */
const pageWidth = () => Math.max(340, Math.min(1160, document.documentElement.clientWidth - 32));

/** Epochs by their time; a click opens one. */
export function timeBars(shares: EpochShare[], clockMhz: number, open: (epoch: number) => void): HTMLElement {
  const wide = pageWidth(), left = wide < 700 ? 110 : 190, width = wide - left - times;
  const total = shares.reduce((sum, one) => sum + one.cycles, 0);
  const longest = Math.max(1, ...shares.map((one) => one.cycles));
  const shown = [...shares].sort((a, b) => b.cycles - a.cycles).slice(0, mostEpochs);
  const all: EpochShare = { epoch: -1, graphs: 'all epochs', launches: 1, cycles: total, parts: runShares(shares) };
  const rows = shares.length > 1 ? [all, ...shown] : shown;
  const drawing = svg('svg', { viewBox: `0 0 ${wide} ${rows.length * (high + gap) + 4}`, class: 'wide', role: 'group', 'aria-label': 'time by epoch and cause' }, partDefs());
  rows.forEach((row, i) => {
    const y = i * (high + gap), whole = row.epoch < 0, size = whole ? width : (width * row.cycles) / longest;
    const name = whole ? 'all epochs' : `epoch ${row.epoch}${row.launches > 1 ? ` x${row.launches}` : ''}`;
    const line = svg('g', { tabindex: 0, role: 'button', 'aria-label': `${name}, ${number(row.cycles)} cycles`, 'data-epoch': row.epoch });
    line.append(svg('text', { x: 0, y: y + 14 }, whole ? name : `${name}: ${shortNameOf(row.graphs, Math.floor(left / 6.6) - name.length - 2)}`));
    let x = left;
    for (const [part, share] of row.parts) {
      if (share <= 0) continue;
      const piece = svg('rect', { x, y, width: size * share, height: high, fill: partUrl(part), 'data-part': part });
      tooltip(piece, name, () => [...(whole ? [] : [['graphs', row.graphs] as [string, string]]), ['cause', partStyles[part].name], ['share of its cores\' time', percent(share)], ['length', `${number(row.cycles)} cycles, ${seconds(row.cycles / clockMhz / 1e6)}`]]);
      line.append(piece);
      x += size * share;
    }
    line.append(svg('text', { x: x + 6, y: y + 14 }, whole ? seconds(row.cycles / clockMhz / 1e6) : percent(row.cycles / Math.max(1, total))));
    if (!whole) {
      line.addEventListener('click', () => open(row.epoch));
      line.addEventListener('keydown', (event) => { if ((event as KeyboardEvent).key === 'Enter') open(row.epoch); });
    }
    drawing.append(line);
  });
  const used = partNames.filter((part: Part) => shares.some((one) => one.parts.some(([name, share]) => name === part && share > 0.0005)));
  return el('div', {}, legend(partEntries(used)), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'time by epoch and cause' }, drawing),
    shares.length > mostEpochs ? el('p', { class: 'hint' }, `The ${mostEpochs} longest of ${shares.length} epochs.`) : null);
}
