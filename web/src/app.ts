// The application: navigation between pages and runs, keys, light and dark theme.
import type { PageData, Run } from './data';
import { choice, clear, el } from './dom';
import { summaryPage } from './pages/summary';
import { comparePage } from './pages/compare';
import { graphsPage } from './pages/graphs';
import { memoryPage } from './pages/memory';
import { placementPage } from './pages/placement';
import { tablesPage } from './pages/tables';
import { timePage, type CorePlace } from './pages/time';

interface PageDef {
  id: string;
  title: string;
  make: (app: App, run: Run) => HTMLElement;
}
const pages: PageDef[] = [
  { id: 'summary', title: 'Summary', make: (app, run) => summaryPage(run, (op) => app.openOp(op)) },
  { id: 'tables', title: 'Tables', make: (app, run) => tablesPage(run, (op) => app.openOp(op)) },
  { id: 'placement', title: 'Placement', make: (app, run) => placementPage(run, app.wanted, (core) => app.openCore(core)) },
  { id: 'graphs', title: 'Graphs', make: (app, run) => graphsPage(run, app.wanted) },
  { id: 'memory', title: 'Memory', make: (app, run) => memoryPage(run, (op) => app.openOp(op)) },
  { id: 'time', title: 'Time', make: (app, run) => timePage(run, app.core, (op) => app.openOp(op)) },
  { id: 'compare', title: 'Two runs', make: (app) => comparePage(app.runs) },
];

export class App {
  private readonly content = el('main', { id: 'content' });
  private readonly bar = el('nav');
  private page = 'summary';
  private run = 0;
  /** The op to select on the next page. */
  wanted = '';
  core: CorePlace | undefined;

  constructor(place: HTMLElement, readonly data: PageData) {
    const runs = data.runs.map((run, i): [string, string] => [String(i), run.name]);
    place.append(
      el('header', {}, el('h1', {}, 'ttsim report'), this.bar,
        runs.length > 1 ? choice('Run', 'run', runs, '0', (value) => { this.run = Number(value); this.show(); }) : null,
        el('button', { id: 'theme', title: 'light or dark (t)', onclick: () => this.theme() }, 'Light / dark'),
        el('button', { id: 'help', title: 'keys (?)', onclick: () => this.help() }, '?')),
      this.content);
    if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
    document.title = `ttsim report: ${data.runs.map((run) => run.name).join(', ')}`;
    document.addEventListener('keydown', (event) => this.key(event));
    window.addEventListener('hashchange', () => this.fromHash());
    this.fromHash();
  }

  get runs(): Run[] { return this.data.runs; }

  openOp(op: string): void {
    this.wanted = op;
    this.go('placement');
  }

  openCore(core: CorePlace): void {
    this.core = core;
    this.go('time');
  }

  go(page: string): void {
    if (location.hash === `#${page}`) this.show();
    else location.hash = page;
  }

  private fromHash(): void {
    const id = location.hash.slice(1);
    this.page = pages.some((page) => page.id === id) ? id : 'summary';
    this.show();
  }

  private show(): void {
    clear(this.bar);
    pages.forEach((page, i) => this.bar.append(el('button', {
      'data-page': page.id, title: `key ${i + 1}`, 'aria-current': page.id === this.page ? 'page' : undefined, onclick: () => this.go(page.id),
    }, page.title)));
    clear(this.content);
    const run = this.data.runs[this.run];
    const page = pages.find((one) => one.id === this.page);
    if (run && page) this.content.append(page.make(this, run));
    this.wanted = '';
    this.core = undefined;
    document.body.dataset.shown = this.page;
  }

  private theme(): void {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    this.show();
  }

  private help(): void {
    const close = () => box.remove();
    const box = el('dialog', { id: 'keys', onclick: close, onclose: close },
      el('h2', {}, 'Keys'),
      el('p', {}, `1 to ${pages.length}: pages. /: search. t: light or dark. Left, right: epochs. f: fit. + and -: zoom. Tab and Enter: titles and rows of tables. Escape: closes.`));
    document.body.append(box);
    box.showModal();
  }

  private key(event: KeyboardEvent): void {
    const at = event.target;
    if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = pages[Number(event.key) - 1];
    if (page) this.go(page.id);
    else if (event.key === 't') this.theme();
    else if (event.key === '?') this.help();
    else if (event.key === '/') {
      const search = this.content.querySelector<HTMLInputElement>('input[type=search]');
      if (search) { event.preventDefault(); search.focus(); }
    }
  }
}
