// Where the time of a run goes: cycles of cores by epoch and cause, and the work of ops against the limits of the chip.
import type { CoreRow, Load, Trace } from './data';
import { causes } from './model';
import type { Part } from './colour';

export interface EpochShare {
  epoch: number;
  graphs: string;
  /** How often the epoch runs, with all launches that repeat it. */
  launches: number;
  /** Cycles of all launches. */
  cycles: number;
  /** Shares of the time of its cores, which sum up to 1. */
  parts: [Part, number][];
}

export function epochShares(trace: Trace): EpochShare[] {
  const shares: EpochShare[] = [];
  const cores = new Map<number, CoreRow[]>();
  for (const row of trace.cores) {
    const list = cores.get(row[0]);
    if (list) list.push(row);
    else cores.set(row[0], [row]);
  }
  const repeats = new Map<number, number>();
  for (const epoch of trace.epochs) if (epoch.same_as !== undefined) repeats.set(Number(epoch.same_as), (repeats.get(Number(epoch.same_as)) ?? 0) + 1);
  for (const epoch of trace.epochs) {
    if (epoch.same_as !== undefined) continue;
    const id = Number(epoch.epoch), length = Number(epoch.cycles);
    const rows = cores.get(id) ?? [];
    const launches = 1 + (repeats.get(id) ?? 0);
    const whole = Math.max(1, rows.length * length);
    const parts = causes.map((cause, i): [Part, number] => [cause, rows.reduce((sum, row) => sum + Number(row[6 + i]), 0) / whole]);
    const idle = Math.max(0, 1 - parts.reduce((sum, [, share]) => sum + share, 0));
    shares.push({ epoch: id, graphs: String(epoch.graphs), launches, cycles: length * launches, parts: [...parts, ['idle', idle]] });
  }
  return shares;
}

/** The same over all epochs, each weighted by its cycles. */
export function runShares(shares: EpochShare[]): [Part, number][] {
  const cycles = Math.max(1, shares.reduce((sum, one) => sum + one.cycles, 0));
  const parts = shares[0]?.parts ?? [];
  return parts.map(([part], i) => [part, shares.reduce((sum, one) => sum + (one.parts[i]?.[1] ?? 0) * one.cycles, 0) / cycles]);
}

export interface RooflinePoint {
  op: string;
  epoch: number;
  /** Cycles of math for a byte from or to DRAM; undefined: the op uses no DRAM. */
  intensity: number | undefined;
  /** Cores that do math, on average while the op runs. */
  rate: number;
  math: number;
  dramBytes: number;
}
export interface Roofline {
  points: RooflinePoint[];
  /** Cores of the chip, and bytes per cycle of all its DRAM channels. */
  cores: number;
  bytesPerCycle: number;
}

export function roofline(trace: Trace, cores: number, channels: number): Roofline {
  const points = (trace.work ?? []).filter((row) => row[2] > 0).map(([epoch, op, math, dramBytes, , , first, last]): RooflinePoint => ({
    op, epoch, math, dramBytes, intensity: dramBytes > 0 ? math / dramBytes : undefined, rate: math / Math.max(1, last - first),
  }));
  const rate = Math.max(0, ...trace.loads.filter((load) => load.kind === 'dram').map((load) => load.bytes_per_cycle));
  return { points, cores, bytesPerCycle: rate * channels };
}

/** Share of a window of cycles in which a resource is busy. */
export function loadShare(load: Load, bucketCycles: number, from: number, to: number): number {
  if (to <= from || bucketCycles <= 0) return 0;
  let busy = 0;
  const last = Math.min(load.busy.length - 1, Math.floor((to - 1) / bucketCycles));
  for (let i = Math.max(0, Math.floor(from / bucketCycles)); i <= last; ++i) {
    const part = (Math.min(to, (i + 1) * bucketCycles) - Math.max(from, i * bucketCycles)) / bucketCycles;
    busy += (load.busy[i] ?? 0) * part;
  }
  return busy / (to - from);
}
