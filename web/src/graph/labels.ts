// Labels of a constant size on the screen that do not overlap: the first ones in the list win.
export interface Label {
  x: number;
  y: number;
  text: string;
  /** Half of the room to its left and right; a longer text is shortened. */
  room: number;
  ink: string;
  bold?: boolean;
  /** Drawn over other things. */
  halo?: boolean;
}
export interface LabelBox {
  x: number;
  y: number;
  w: number;
  h: number;
  text: string;
}
const cell = 64, lineHigh = 13;

/** Boxes of the labels that fit, in pixels; `measure` gives the width of a text. */
export function placeLabels(labels: Label[], measure: (text: string) => number, most = 1500): { label: Label; box: LabelBox }[] {
  const taken = new Map<string, LabelBox[]>();
  const placed: { label: Label; box: LabelBox }[] = [];
  for (const label of labels) {
    if (placed.length >= most) break;
    const text = shortened(label.text, 2 * label.room, measure);
    if (text === '') continue;
    const w = measure(text), box = { x: label.x - w / 2, y: label.y - lineHigh / 2, w, h: lineHigh, text };
    const cells: string[] = [];
    for (let cx = Math.floor((box.x - 2) / cell); cx <= Math.floor((box.x + w + 2) / cell); ++cx)
      for (let cy = Math.floor(box.y / cell); cy <= Math.floor((box.y + lineHigh) / cell); ++cy) cells.push(`${cx} ${cy}`);
    const hits = (other: LabelBox) => box.x < other.x + other.w + 2 && other.x < box.x + w + 2 && box.y < other.y + other.h && other.y < box.y + lineHigh;
    if (cells.some((key) => taken.get(key)?.some(hits))) continue;
    for (const key of cells) taken.set(key, [...(taken.get(key) ?? []), box]);
    placed.push({ label, box });
  }
  return placed;
}

/** The text, or its begin with an ellipsis; '' if fewer than three letters fit. */
export function shortened(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${text.slice(0, middle)}\u2026`) <= room) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? '' : `${text.slice(0, low)}\u2026`;
}
