// Shortens names so that those of a report still differ. Names of a model repeat long parts ("model_encoder_layer_"),
// which tell no two apart.

/** Pieces of a name, each with the separators before it. */
function pieces(name: string): string[] {
  return name.match(/[_./:-]*[^_./:-]+|[_./:-]+$/g) ?? [];
}

export class Names {
  /** How many names have each beginning of whole pieces. */
  private readonly counts = new Map<string, number>();

  constructor(names: Iterable<string>) {
    for (const name of new Set(names)) {
      let begin = '';
      this.add(begin);
      for (const piece of pieces(name)) this.add(begin += piece);
    }
  }
  private add(begin: string): void { this.counts.set(begin, (this.counts.get(begin) ?? 0) + 1); }

  /** The name, if it fits. Otherwise pieces are left out until it does, those first that tell least: which nearly all names
   *  have after the same beginning. Of the last one as many letters are shown as fit. If the only piece left is too long,
   *  its begin and its end; '' if fewer than three letters fit. */
  short(name: string, fits: (text: string) => boolean): string {
    if (fits(name)) return name;
    const parts = pieces(name), shown = parts.map(() => true);
    if (!this.counts.has(name)) return ends(name, fits);
    let begin = '', before = this.counts.get('') ?? 1;
    const share = parts.map((piece) => {
      const count = this.counts.get(begin += piece) ?? 1, part = count / before;
      before = count;
      return part;
    });
    const order = parts.map((_, i) => i).sort((a, b) => (share[b] ?? 0) - (share[a] ?? 0) || a - b);
    for (const i of order.slice(0, -1)) {
      shown[i] = false;
      const text = joined(parts, shown);
      if (fits(text)) return withBeginOf(i, parts, shown, fits) ?? text;
    }
    return ends(joined(parts, shown), fits);
  }
}

/** With the first letters of a piece that is left out, if at least three fit. */
function withBeginOf(piece: number, parts: string[], shown: boolean[], fits: (text: string) => boolean): string | undefined {
  const whole = parts[piece] ?? '';
  for (let letters = whole.length - 1; letters >= 4; --letters) {
    const begin = `${whole.slice(0, letters)}\u2026`;
    const text = joined(parts.map((part, i) => (i === piece ? begin : part)), shown.map((one, i) => one || i === piece));
    if (fits(text)) return text;
  }
  return undefined;
}

function joined(parts: string[], shown: boolean[]): string {
  let text = '';
  for (const [i, part] of parts.entries()) {
    if (shown[i]) text += text.endsWith('\u2026') ? part.replace(/^[_./:-]+/, '') : part;  // the ellipsis separates
    else if (!text.endsWith('\u2026')) text += '\u2026';
  }
  return text;
}

function ends(text: string, fits: (text: string) => boolean): string {
  const both = (letters: number) =>
    `${text.slice(0, Math.ceil(letters / 2))}\u2026${text.slice(text.length - Math.floor(letters / 2))}`.replace(/[_./:-]*\u2026(?:[_./:-]*\u2026)*[_./:-]*/g, '\u2026');
  let low = 0, high = text.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(both(middle))) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? '' : both(low);
}

let ofReport = new Names([]);

/** The names of the report that is shown. */
export function useNames(names: Iterable<string>): void { ofReport = new Names(names); }

/** A name of the report in a room that `fits` describes. */
export function shortName(name: string, fits: (text: string) => boolean): string { return ofReport.short(name, fits); }

/** A name of the report in at most this many letters. */
export function shortNameOf(name: string, letters: number): string { return shortName(name, (text) => text.length <= letters); }
