// The page of `ttsim sweep page`: pictures of results, a table, and the facts of one point.
import '../style.css';
import { choice, clear, el } from '../dom';
import { drawHeat, drawParallel, drawScatter, mount, type Chart } from './charts';
import { bestRow, cell, count, label, shown, type Results } from './results';

type View = 'scatter' | 'parallel' | 'heat' | 'table';
const views: [View, string][] = [['scatter', 'Scatter and Pareto front'], ['parallel', 'Parallel coordinates'], ['heat', 'Heat map'], ['table', 'Table']];
const tableRows = 500;

class Page {
  private view: View = 'scatter';
  private x: string;
  private y: string;
  private colour: string;
  private status = 'ok';
  private chosen: number | undefined;
  private readonly body = el('div', {});
  private readonly side = el('aside', { class: 'side', 'aria-label': 'Chosen point' });

  constructor(place: HTMLElement, private readonly results: Results) {
    const [first, second] = [...results.objectives, ...results.measures.filter((m) => !results.objectives.includes(m))];
    this.x = first ?? results.axes[0] ?? '';
    this.y = second ?? this.x;
    this.colour = this.y;
    const saved = new URLSearchParams(location.hash.slice(1));
    this.view = views.find(([name]) => name === saved.get('view'))?.[0] ?? this.view;
    this.chosen = bestRow(results, this.rows(), this.x);
    const theme = el('button', { onclick: () => { document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'; this.draw(); } }, 'Dark or light');
    if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
    const tabs = el('nav', { 'aria-label': 'Pictures' }, ...views.map(([name, text]) => el('button', { id: `view-${name}`, onclick: () => this.show(name) }, text)));
    const rest = results.rows > count(results) ? `${shown(count(results))} of ${shown(results.rows)} points` : `${shown(results.rows)} points`;
    place.append(el('header', {}, el('h1', {}, 'ttsim sweep'), tabs, el('span', { class: 'note' }, rest), theme), el('main', { class: 'split' }, this.body, this.side));
    this.draw();
  }

  private rows(): number[] {
    return [...Array(count(this.results)).keys()].filter((row) => this.status === 'all' || cell(this.results, 'status', row) === this.status);
  }

  private show(view: View): void {
    this.view = view;
    history.replaceState(null, '', `#view=${view}`);
    this.draw();
  }

  private controls(): HTMLElement {
    const { axes, measures } = this.results;
    const names = (columns: string[]): [string, string][] => columns.map((column) => [column, column]);
    const set = (name: 'x' | 'y' | 'colour' | 'status') => (value: string): void => { this[name] = value; this.draw(); };
    const heat = this.view === 'heat';
    const columns = heat ? axes : [...measures, ...axes];
    if (heat && !axes.includes(this.x)) this.x = axes[0] ?? '';
    if (heat && (!axes.includes(this.y) || this.y === this.x)) this.y = axes.find((a) => a !== this.x) ?? this.x;
    if (this.view === 'scatter' && axes.includes(this.x) && axes.includes(this.y)) this.y = measures[0] ?? this.y;
    const statuses = [...new Set(this.results.columns.status?.map(String))];
    const list = [choice('Points', 'status', [...names(statuses), ['all', 'all']], this.status, set('status'))];
    if (this.view === 'scatter' || heat) list.push(choice('x', 'x', names(columns), this.x, set('x')), choice('y', 'y', names(columns), this.y, set('y')));
    if (this.view !== 'table') list.push(choice('Colour', 'colour', names(heat ? measures : [...measures, ...axes]), this.colour, set('colour')));
    return el('div', { class: 'bar' }, ...list);
  }

  private draw(): void {
    clear(this.body);
    for (const [name] of views) document.getElementById(`view-${name}`)?.toggleAttribute('aria-current', false);
    document.getElementById(`view-${this.view}`)?.setAttribute('aria-current', 'page');
    this.body.append(this.controls());
    const rows = this.rows();
    if (rows.length === 0) this.body.append(el('p', { class: 'empty' }, 'No point has this status.'));
    else if (this.view === 'table') this.body.append(this.table(rows));
    else this.chart(rows);
    this.facts();
  }

  private chart(rows: number[]): void {
    const place = el('div', { id: 'chart', style: 'width:100%;height:74vh', role: 'img', 'aria-label': views.find(([name]) => name === this.view)?.[1] ?? '' });
    this.body.append(place);
    const view = mount(place);
    const { results } = this;
    let chart: Chart;
    if (this.view === 'scatter') chart = drawScatter(view, results, rows, this.x, this.y, this.colour);
    else if (this.view === 'heat') chart = drawHeat(view, results, rows, this.x, this.y, results.measures.includes(this.colour) ? this.colour : results.measures[0] ?? '');
    else chart = drawParallel(view, results, rows, [...results.axes, ...results.measures.filter((m) => rows.some((row) => cell(results, m, row) !== null))], this.colour);
    view.on('click', (params) => { this.chosen = chart.row(params as { data?: unknown; dataIndex?: number }) ?? this.chosen; this.facts(); });
  }

  private table(rows: number[]): HTMLElement {
    const columns = [...this.results.axes, ...this.results.measures, 'status'];
    const head = el('tr', {}, ...columns.map((column) => el('th', { scope: 'col', title: column }, label(column))));
    const body = rows.slice(0, tableRows).map((row) => {
      const open = (): void => { this.chosen = row; this.facts(); };
      return el('tr', { class: 'opens', tabindex: 0, onclick: open, onkeydown: (event) => { if ((event as KeyboardEvent).key === 'Enter') open(); } },
        ...columns.map((column) => el('td', { class: typeof cell(this.results, column, row) === 'number' ? 'number' : '' }, shown(cell(this.results, column, row)))));
    });
    const more = rows.length > tableRows ? el('p', { class: 'note' }, `The first ${tableRows} of ${shown(rows.length)} rows; 'ttsim sweep show' has all.`) : null;
    return el('div', {}, el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, head), el('tbody', {}, ...body))), more);
  }

  private facts(): void {
    clear(this.side);
    const row = this.chosen;
    if (row === undefined) {
      this.side.append(el('p', { class: 'hint' }, 'Choose a point in the picture.'));
      return;
    }
    const list = el('dl', { class: 'facts' });
    for (const name of [...this.results.axes, ...this.results.measures, 'status', 'message', 'build'])
      list.append(el('dt', { title: name }, label(name)), el('dd', {}, shown(cell(this.results, name, row))));
    const key = String(cell(this.results, 'key', row));
    const report = this.results.reports[key];
    this.side.append(el('h2', {}, 'Point'), list, el('h2', {}, 'Command that repeats it'), el('pre', { tabindex: 0 }, String(cell(this.results, 'command', row))));
    if (report) this.side.append(el('p', {}, el('a', { href: report, id: 'report' }, 'Report of this point')));
  }
}

const place = document.getElementById('app');
const text = document.getElementById('ttsim-data')?.textContent ?? '';
if (place) {
  try {
    new Page(place, JSON.parse(text) as Results);
    document.body.dataset.shown = '';
  } catch (error) {
    place.append(el('p', { class: 'bad', role: 'alert' }, `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
    throw error;
  }
}
