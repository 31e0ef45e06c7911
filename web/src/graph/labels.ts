// Labels of a constant size on the screen that do not overlap: the first ones in the list win.
import { shortName } from '../names';

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
    const text = shortName(label.text, (part) => measure(part) <= 2 * label.room);
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
