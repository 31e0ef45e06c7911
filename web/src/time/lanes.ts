// The lanes of the time page: epochs, cores, memories, links and the host, over the whole run.
import type { Load, Series, Trace } from '../data';
import { causes, type Cause } from '../model';
import { partStyles } from '../colour';
import { drawnOrder, inputsOf } from '../series';

/** A series at its place in the run; an epoch that repeats another one has the series of that one. */
export interface Segment {
  epoch: number;
  offset: number;
  series: Series;
}
export interface EpochSpan {
  epoch: number;
  graphs: string;
  start: number;
  end: number;
}
export type Lane = { label: string; group: string } & (
  | { kind: 'title'; count: number }
  | { kind: 'epochs'; spans: EpochSpan[] }
  | { kind: 'core'; segments: Segment[]; only?: Cause }
  | { kind: 'load'; load: Load });

export const placeOf = (one: Series): string => `${one.chip}:${one.x}-${one.y}`;

export function spansOf(trace: Trace): EpochSpan[] {
  return trace.epochs.map((row) => ({ epoch: Number(row.epoch), graphs: String(row.graphs), start: Number(row.start), end: Number(row.start) + Number(row.cycles) }));
}

/** All series of the run, with repeated epochs. */
export function segmentsOf(trace: Trace): Segment[] {
  const byEpoch = new Map<number, Series[]>();
  for (const one of trace.series) {
    const list = byEpoch.get(one.epoch);
    if (list) list.push(one);
    else byEpoch.set(one.epoch, [one]);
  }
  return trace.epochs.flatMap((row) => (byEpoch.get(Number(row.same_as ?? row.epoch)) ?? []).map((series) => ({ epoch: Number(row.epoch), offset: Number(row.start), series })));
}

function grouped(segments: Segment[], key: (segment: Segment) => string): [string, Segment[]][] {
  const groups = new Map<string, Segment[]>();
  for (const segment of segments) {
    const list = groups.get(key(segment));
    if (list) list.push(segment);
    else groups.set(key(segment), [segment]);
  }
  return [...groups];
}

/** Lines for a core: all of it, then one for each cause with cycles. */
export function lanesOfCore(segments: Segment[]): Lane[] {
  const inputs = segments.flatMap((segment) => inputsOf(segment.series, 0, Infinity, 200));
  const spent = drawnOrder.filter((cause) => inputs.some((input) => (input.parts[causes.indexOf(cause)] ?? 0) > 0));
  const first = segments[0]?.series;
  const group = 'Core', name = first ? `core ${first.x}-${first.y}` : 'core';
  return [{ kind: 'core', group, label: name, segments }, ...spent.map((only): Lane => ({ kind: 'core', group, label: partStyles[only].name, segments, only }))];
}

export type Rows = 'ops' | 'cores';
const groupsOfLoads: [kind: string, group: string, most: number][] = [['dram', 'DRAM channels', 96], ['noc', 'NoC links', 40], ['ethernet', 'Ethernet', 64], ['pcie', 'Host (PCIe)', 16]];

/** `core`: 'CHIP:X-Y' of the only core to show, '' for all. Lanes of closed groups are left out. */
export function lanesOf(trace: Trace, rows: Rows, core: string, closed: Set<string>): Lane[] {
  const lanes: Lane[] = [{ kind: 'epochs', group: 'Run', label: 'epochs', spans: spansOf(trace) }];
  const segments = segmentsOf(trace);
  const several = new Set(segments.map((one) => one.series.chip)).size > 1;
  const add = (title: string, list: Lane[]) => {
    if (list.length === 0) return;
    lanes.push({ kind: 'title', group: title, label: title, count: list.length });
    if (!closed.has(title)) lanes.push(...list);
  };
  const one = core === '' ? [] : segments.filter((segment) => placeOf(segment.series) === core);
  if (one.length > 0) add('Core', lanesOfCore(one));
  else if (rows === 'cores')
    add('Cores', grouped(segments, (s) => placeOf(s.series)).map(([, list]): Lane => {
      const at = list[0]?.series;
      return { kind: 'core', group: 'Cores', label: `${several ? `chip ${at?.chip} ` : ''}core ${at?.x}-${at?.y}`, segments: list };
    }));
  else
    add('Ops (slowest core)', grouped(segments.filter((s) => s.series.slowest), (s) => s.series.op).map(([op, list]): Lane => ({ kind: 'core', group: 'Ops (slowest core)', label: op, segments: list })));
  for (const [kind, group, most] of groupsOfLoads)
    add(group, trace.loads.filter((load) => load.kind === kind).slice(0, most).map((load): Lane => ({ kind: 'load', group, label: load.name, load })));
  return lanes;
}

/** More lanes of ops than this are left out where nothing of them is in the window. */
export const mostOpLanes = 300;
export function lanesInWindow(lanes: Lane[], from: number, to: number): Lane[] {
  if (lanes.filter((lane) => lane.kind === 'core').length <= mostOpLanes) return lanes;
  const kept = lanes.filter((lane) => lane.kind !== 'core' || lane.segments.some((one) => one.offset + one.series.start <= to && one.offset + one.series.end >= from));
  const counts = new Map<string, number>();
  for (const lane of kept) if (lane.kind !== 'title') counts.set(lane.group, (counts.get(lane.group) ?? 0) + 1);
  return kept.map((lane) => (lane.kind === 'title' && counts.has(lane.group) ? { ...lane, count: counts.get(lane.group) ?? 0 } : lane));
}

/** Cycles of cores by cause in a window, over the given lanes. */
export function sumsOf(lanes: Lane[], from: number, to: number): number[] {
  const sums = causes.map(() => 0);
  for (const lane of lanes) {
    if (lane.kind !== 'core' || lane.only) continue;
    for (const { series, offset } of lane.segments)
      for (const input of inputsOf(series, from - offset, to - offset, 20000)) {
        const length = Math.max(1, input.end - input.start);
        const part = Math.max(0, Math.min(to - offset, input.end) - Math.max(from - offset, input.start)) / length;
        input.parts.forEach((cycles, i) => { sums[i] = (sums[i] ?? 0) + cycles * part; });
      }
  }
  return sums;
}
