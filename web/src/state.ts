// What a page shows, in the address: '#time?run=0&op=attn.q&from=0&to=5000'. A link restores page, op, epoch and zoom.
export class State {
  page = 'summary';
  private values = new URLSearchParams();

  constructor() { this.read(); }

  read(): void {
    const [page, query] = location.hash.slice(1).split('?');
    this.page = page ?? '';
    this.values = new URLSearchParams(query ?? '');
  }
  get(key: string): string | undefined { return this.values.get(key) ?? undefined; }
  number(key: string): number | undefined {
    const value = this.values.get(key);
    return value === null || value === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
  }
  /** Changes values without an entry in the history; undefined removes one. */
  set(values: Record<string, string | number | undefined>): void {
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || value === '') this.values.delete(key);
      else this.values.set(key, String(value));
    }
    history.replaceState(null, '', this.hash());
  }
  /** The address of a page; it keeps the run, and of the other values only the given ones. */
  link(page: string, values: Record<string, string | number | undefined> = {}): string {
    const kept = new URLSearchParams();
    const run = this.values.get('run');
    if (run) kept.set('run', run);
    for (const [key, value] of Object.entries(values)) if (value !== undefined && value !== '') kept.set(key, String(value));
    const query = kept.toString();
    return `#${page}${query === '' ? '' : `?${query}`}`;
  }
  private hash(): string {
    const query = this.values.toString();
    return `#${this.page}${query === '' ? '' : `?${query}`}`;
  }
}
