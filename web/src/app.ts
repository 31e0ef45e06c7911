// The application: navigation between pages and runs, keys, light and dark theme.
import { namesOf, type PageData, type Part, type Run, type Sections } from './data';
import { choice, clear, el } from './dom';
import { licences } from './licences';
import { useNames } from './names';
import { comparePage } from './pages/compare';
import { graphsPage } from './pages/graphs';
import { memoryPage } from './pages/memory';
import { placementPage } from './pages/placement';
import { summaryPage } from './pages/summary';
import { tablesPage } from './pages/tables';
import { timePage } from './pages/time';
import { State } from './state';
import { hideTooltip } from './tooltip';

interface PageDef {
  id: string;
  title: string;
  /** What it reads of the run. */
  parts: Part[];
  make: (app: App, run: Run) => HTMLElement;
}
const onePages: PageDef[] = [
  { id: 'summary', title: 'Summary', parts: ['trace.ops', 'trace.cores', 'trace.loads', 'trace.work'], make: (app, run) => summaryPage(run, { openOp: (op) => app.go('placement', { op }), openEpoch: (epoch) => app.go('time', { epoch }) }) },
  { id: 'tables', title: 'Tables', parts: ['trace.ops', 'trace.resources'], make: (app, run) => tablesPage(run, (op) => app.go('placement', { op })) },
  { id: 'placement', title: 'Placement', parts: ['netlist', 'ops', 'queues', 'epochs', 'trace.cores', 'trace.loads', 'trace.routes'], make: (app, run) => placementPage(run, app.state, (core) => app.go('time', { ...core })) },
  { id: 'graphs', title: 'Graphs', parts: ['ops', 'queues', 'epochs', 'passes', 'trace.ops', 'trace.cores'], make: (app, run) => graphsPage(run, app.state) },
  { id: 'memory', title: 'Memory', parts: ['ops', 'queues', 'epochs'], make: (app, run) => memoryPage(run, app.state, (op) => app.go('placement', { op })) },
  { id: 'time', title: 'Time', parts: ['trace.ops', 'trace.cores', 'trace.series', 'trace.loads', 'trace.work'], make: (app, run) => timePage(run, app.state, (op) => app.go('placement', { op })) },
];
const comparison: PageDef = { id: 'compare', title: 'Two runs', parts: ['trace.ops'], make: (app) => comparePage(app.runs) };

export class App {
  private readonly content = el('main', { id: 'content' });
  private readonly bar = el('nav', { 'aria-label': 'pages' });
  private readonly pages: PageDef[];
  readonly state = new State();
  /** Counts changes of the page, since a newer one may come while parts are decoded. */
  private turn = 0;

  constructor(place: HTMLElement, readonly data: PageData, private readonly sections: Sections) {
    this.pages = data.runs.length > 1 ? [...onePages, comparison] : onePages;
    const runs = data.runs.map((run, i): [string, string] => [String(i), run.name]);
    place.append(
      el('header', {}, el('h1', {}, 'ttsim report'), this.bar,
        runs.length > 1 ? choice('Run', 'run', runs, String(this.run), (value) => { location.hash = `#${this.state.page}?run=${value}`; }) : null,
        el('button', { id: 'theme', title: 'light or dark (t)', onclick: () => this.theme() }, 'Light / dark'),
        el('button', { id: 'help', title: 'keys and licences (?)', 'aria-label': 'keys and licences', onclick: () => this.help() }, '?')),
      this.content,
      el('footer', {}, `ttsim ${data.ttsim}`));
    if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
    document.title = `ttsim report: ${data.runs.map((run) => run.name).join(', ')}`;
    document.addEventListener('keydown', (event) => this.key(event));
    window.addEventListener('hashchange', () => void this.fromHash());
  }

  get runs(): Run[] { return this.data.runs; }
  private get run(): number { return Math.min(this.data.runs.length - 1, Math.max(0, this.state.number('run') ?? 0)); }

  go(page: string, values: Record<string, string | number | undefined> = {}): void {
    const hash = this.state.link(page, values);
    if (location.hash === hash) void this.show();
    else location.hash = hash;
  }

  fromHash(): Promise<void> {
    this.state.read();
    if (!this.pages.some((page) => page.id === this.state.page)) this.state.page = 'summary';
    return this.show();
  }

  private async show(): Promise<void> {
    const turn = ++this.turn;
    hideTooltip();
    clear(this.bar);
    this.pages.forEach((page, i) => this.bar.append(el('button', {
      'data-page': page.id, title: `key ${i + 1}`, 'aria-current': page.id === this.state.page ? 'page' : undefined, onclick: () => this.go(page.id),
    }, page.title)));
    const run = this.data.runs[this.run];
    const page = this.pages.find((one) => one.id === this.state.page);
    const missing = !page || !run ? [] : (page === comparison ? this.runs : [run]).filter((one) => !this.sections.has(one, page.parts));
    if (missing.length > 0) {
      await Promise.all(missing.map((one) => this.sections.decode(one, page?.parts ?? [])));
      if (turn !== this.turn) return;
    }
    clear(this.content);
    if (run && page) {
      useNames((page === comparison ? this.runs : [run]).flatMap(namesOf));
      this.content.append(page.make(this, run));
    }
    document.body.dataset.shown = this.state.page;
  }

  private theme(): void {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    void this.show();
  }

  private help(): void {
    const close = () => box.remove();
    const box = el('dialog', { id: 'keys', onclose: close, 'aria-label': 'keys and licences' },
      el('h2', {}, 'Keys'),
      el('p', {}, `1 to ${this.pages.length}: pages. /: search. t: light or dark. Left, right: epochs. f: fit. + and -, or Ctrl and the wheel: zoom. Tab and Enter: titles and rows of tables. Escape: closes.`),
      el('h2', {}, 'Bundled libraries'), licences(),
      el('button', { onclick: close }, 'Close'));
    document.body.append(box);
    box.showModal();
  }

  private key(event: KeyboardEvent): void {
    const at = event.target;
    if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = this.pages[Number(event.key) - 1];
    if (page) this.go(page.id);
    else if (event.key === 't') this.theme();
    else if (event.key === '?') this.help();
    else if (event.key === '/') {
      const search = this.content.querySelector<HTMLInputElement>('input[type=search]');
      if (search) { event.preventDefault(); search.focus(); }
    }
  }
}
