// Axes with round numbers.

/** Round values from `from` to `to`, at most about `most` of them: 1, 2 or 5 times a power of ten. */
export function ticks(from: number, to: number, most: number): number[] {
  const span = to - from;
  if (!(span > 0) || most < 1) return [from];
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const first = Math.ceil(from / step - 1e-9);
  return Array.from({ length: Math.floor(to / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Powers of ten from `low` to `high`, both inside. */
export function decades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** Round numbers of bytes: 1, 2, 4, 8, ... times a power of 1024. */
export function byteTicks(from: number, to: number, most: number): number[] {
  const rough = Math.max(1, (to - from) / Math.max(1, most)), step = 2 ** Math.ceil(Math.log2(rough));
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => (first + i) * step);
}
