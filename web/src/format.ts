// Formats numbers.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export function number(value: number): string {
  return Math.abs(value) >= 1000 || Number.isInteger(value) ? whole.format(value) : small.format(value);
}
/** With exactly this number of decimals, so that points of a column are below each other. */
export function fixed(value: number, decimals: number): string {
  return new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
}
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  return value < 1024 ** 3 ? `${(value / 1024 / 1024).toFixed(1)} MiB` : `${(value / 1024 ** 3).toFixed(2)} GiB`;
}
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
/** Three significant digits, with the unit that fits. */
export function seconds(value: number): string {
  const [scale, unit] = value >= 1 ? [1, 's'] : value >= 1e-3 ? [1e3, 'ms'] : [1e6, '\u00b5s'];
  const scaled = value * scale, digits = scaled > 0 ? Math.max(0, 2 - Math.floor(Math.log10(scaled))) : 0;
  return `${scaled.toFixed(Math.min(3, digits))} ${unit}`;
}
export function cyclesAsTime(cycles: number, clockMhz: number): string {
  return seconds(cycles / (clockMhz * 1e6));
}
