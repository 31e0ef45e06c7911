// Tables that are sorted by a click on a title or Enter; a second time reverses the order.
import { clear, el } from './dom';
import { number, percent } from './format';
import type { Row } from './data';

export interface Column {
  key: string;
  title: string;
  help?: string;
  share?: boolean;
  colour?: (row: Row) => string;
}
type Cell = Row[string] | undefined;

export function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

export function sortedRows(rows: Row[], key: string, down: boolean): Row[] {
  const sorted = [...rows].sort((a, b) => compareCells(a[key], b[key]));
  return down ? sorted.reverse() : sorted;
}

const mostRows = 500;

export function table(id: string, columns: Column[], rows: Row[], open?: (row: Row) => void): HTMLElement {
  let key = '';
  let down = false;
  let shown = mostRows;
  const body = el('tbody');
  const more = el('button', { class: 'more', onclick: () => { shown *= 4; fill(); } });
  const titles = columns.map((column) =>
    el('th', {
      tabindex: 0,
      scope: 'col',
      title: column.help,
      'data-key': column.key,
      onclick: () => sortBy(column.key),
      onkeydown: (event) => { if ((event as KeyboardEvent).key === 'Enter') sortBy(column.key); },
    }, column.title));

  function sortBy(next: string): void {
    // numbers start with the largest
    down = next === key ? !down : typeof rows[0]?.[next] === 'number';
    key = next;
    titles.forEach((title, i) => title.setAttribute('aria-sort', columns[i]?.key === key ? (down ? 'descending' : 'ascending') : 'none'));
    fill();
  }
  function cell(row: Row, column: Column): HTMLElement {
    const value = row[column.key];
    const text = typeof value === 'number' ? (column.share ? percent(value) : number(value)) : (value ?? '');
    return el('td', { class: `${typeof value === 'number' ? 'number' : ''} ${column.colour?.(row) ?? ''}` }, text);
  }
  function fill(): void {
    clear(body);
    const all = key === '' ? rows : sortedRows(rows, key, down);
    for (const row of all.slice(0, shown)) {
      const line = el('tr', open ? { tabindex: 0, class: 'opens', onclick: () => open(row), onkeydown: (e) => { if ((e as KeyboardEvent).key === 'Enter') open(row); } } : {});
      for (const column of columns) line.append(cell(row, column));
      body.append(line);
    }
    more.hidden = all.length <= shown;
    more.textContent = `more (${number(all.length - shown)})`;
  }
  fill();
  return el('div', { class: 'scroll' }, el('table', { id }, el('thead', {}, el('tr', {}, ...titles)), body), more);
}
