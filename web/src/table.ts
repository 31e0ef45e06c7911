// Tables: sorted by a click on a title or Enter, filtered by a word or by column, exported as CSV as shown.
import { clear, el } from './dom';
import { fixed, number, percent } from './format';
import { shortNameOf } from './names';
import type { Row } from './data';

export interface Column {
  key: string;
  title: string;
  /** Below the title, such as 'cycles'. */
  unit?: string;
  help?: string;
  share?: boolean;
  /** Names of ops, queues or graphs; long ones are shortened. */
  name?: boolean;
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

/** Whether a cell passes a filter: '>3', '<=0.5', '=x', '!x', otherwise a part of the text. Shares are in percent. */
export function passes(value: Cell, filter: string, share = false): boolean {
  const text = filter.trim();
  if (text === '') return true;
  const found = /^(>=|<=|>|<)\s*(-?[\d.]+)\s*%?$/.exec(text);
  if (found) {
    if (typeof value !== 'number') return false;
    const limit = Number(found[2]), shown = share ? 100 * value : value;
    return found[1] === '>' ? shown > limit : found[1] === '<' ? shown < limit : found[1] === '>=' ? shown >= limit : shown <= limit;
  }
  const cell = String(value ?? '').toLowerCase();
  if (text.startsWith('!')) return !cell.includes(text.slice(1).toLowerCase());
  return text.startsWith('=') ? cell === text.slice(1).trim().toLowerCase() : cell.includes(text.toLowerCase());
}

/** Decimals of a column: those of its values, at most two; none if all are large. */
export function decimalsOf(rows: Row[], key: string): number {
  let most = 0, largest = 0;
  for (const row of rows) {
    const value = row[key];
    if (typeof value !== 'number') continue;
    largest = Math.max(largest, Math.abs(value));
    if (!Number.isInteger(value)) most = Math.max(most, Number.isInteger(Math.round(value * 100) / 10) ? 1 : 2);
  }
  return largest >= 10000 ? 0 : most;
}

export function csvText(columns: Column[], rows: Row[]): string {
  const field = (value: Cell) => {
    if (typeof value === 'number') return String(value);
    const text = value ?? '';
    // a spreadsheet would run a formula
    const safe = /^[=+@-]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns.map((column) => field(column.key)), ...rows.map((row) => columns.map((column) => field(row[column.key])))].map((line) => line.join(',')).join('\n') + '\n';
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  el('a', { href: url, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const mostRows = 100, fewRows = 12, mostLetters = 42;

export function table(id: string, columns: Column[], rows: Row[], open?: (row: Row) => void): HTMLElement {
  let key = '', down = false, shown = mostRows, word = '';
  const filters = new Map<string, string>();
  const body = el('tbody');
  const count = el('span', { class: 'hint', 'data-count': '' });
  const more = el('button', { class: 'more', onclick: () => { shown *= 4; fill(); } });
  const decimals = new Map(columns.map((column) => [column.key, decimalsOf(rows, column.key)]));
  const titles = columns.map((column) =>
    el('th', {
      tabindex: 0,
      scope: 'col',
      title: column.help,
      'data-key': column.key,
      class: typeof rows.find((row) => row[column.key] !== null && row[column.key] !== undefined)?.[column.key] === 'number' ? 'number' : undefined,
      onclick: () => sortBy(column.key),
      onkeydown: (event) => { if ((event as KeyboardEvent).key === 'Enter') sortBy(column.key); },
    }, column.title, column.unit ?? (column.share ? '%' : '') ? el('small', {}, column.unit ?? '%') : null));
  const byColumn = el('tr', { class: 'filters', hidden: true }, ...columns.map((column) => {
    const input = el('input', { type: 'text', 'aria-label': `filter ${column.title}`, placeholder: 'filter', oninput: () => { filters.set(column.key, input.value); fill(); } });
    return el('td', {}, input);
  }));

  function sortBy(next: string): void {
    // numbers start with the largest
    down = next === key ? !down : typeof rows[0]?.[next] === 'number';
    key = next;
    titles.forEach((title, i) => title.setAttribute('aria-sort', columns[i]?.key === key ? (down ? 'descending' : 'ascending') : 'none'));
    fill();
  }
  function cell(row: Row, column: Column): HTMLElement {
    const value = row[column.key];
    const text = typeof value === 'number' ? (column.share ? percent(value).replace(' %', '') : fixed(value, decimals.get(column.key) ?? 0)) : (value ?? '');
    const shown = column.name ? shortNameOf(String(text), mostLetters) : text;
    return el('td', { class: `${typeof value === 'number' ? 'number' : ''} ${column.colour?.(row) ?? ''}`.trim() || undefined, title: shown === text ? undefined : String(text) }, shown);
  }
  function kept(): Row[] {
    const hit = (row: Row) => columns.some((column) => passes(row[column.key], word)) && columns.every((column) => passes(row[column.key], filters.get(column.key) ?? '', column.share));
    const left = rows.filter(hit);
    return key === '' ? left : sortedRows(left, key, down);
  }
  function fill(): void {
    clear(body);
    const all = kept();
    for (const row of all.slice(0, shown)) {
      const line = el('tr', open ? { tabindex: 0, class: 'opens', onclick: () => open(row), onkeydown: (e) => { if ((e as KeyboardEvent).key === 'Enter') open(row); } } : {});
      for (const column of columns) line.append(cell(row, column));
      body.append(line);
    }
    count.textContent = all.length === rows.length ? `${number(rows.length)} rows` : `${number(all.length)} of ${number(rows.length)} rows`;
    more.hidden = all.length <= shown;
    more.textContent = `more (${number(all.length - shown)})`;
  }
  const search = el('input', { type: 'search', 'aria-label': `filter rows of ${id}`, placeholder: 'filter rows', oninput: () => { word = search.value; fill(); } });
  const columnsButton = el('button', { 'aria-pressed': 'false', title: 'a filter for each column: text, >N, <N, =text, !text', onclick: () => {
    byColumn.hidden = !byColumn.hidden;
    columnsButton.setAttribute('aria-pressed', String(!byColumn.hidden));
  } }, 'Column filters');
  const tools = el('div', { class: 'bar tools' }, search, columnsButton, el('button', { title: 'the rows as shown', onclick: () => save(id, csvText(columns, kept())) }, 'CSV'), count);
  fill();
  return el('div', { class: 'framed' }, rows.length > fewRows ? tools : null,
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `table ${id}` }, el('table', { id }, el('thead', {}, el('tr', {}, ...titles), byColumn), body), more));
}
