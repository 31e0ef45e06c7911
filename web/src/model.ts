// Queries on the netlist of a run: edges, epochs of ops, and their times in the trace.
import type { CoreRow, Epoch, Op, Queue, Run } from './data';

/** Causes of a core's cycles, in the order of CoreRow from "busy" on. */
export const causes = ['busy', 'wait_source', 'wait_noc', 'wait_dram', 'wait_room', 'wait_output', 'wait_dst', 'wait_pack', 'drain'] as const;
export type Cause = (typeof causes)[number];

export interface Edge {
  from: string;
  to: string;
  operand: number;
  tms: string;
  /** Differences in blocking between producer and reader; '' if there are none. */
  reblock: string;
}
export interface OpTime {
  busyShare: number;
  limit: Cause;
  parts: number[];
  cycles: number;
}

export function reblocking(from: Op | Queue, to: Op): string {
  const parts: string[] = [];
  const pair = (name: 'grid' | 'mblock' | 'ublock') => {
    if (from[name][0] !== to[name][0] || from[name][1] !== to[name][1]) parts.push(`${name} ${from[name].join('x')} to ${to[name].join('x')}`);
  };
  pair('grid');
  pair('mblock');
  pair('ublock');
  if (from.t !== to.t) parts.push(`t ${from.t} to ${to.t}`);
  if (from.order !== to.order) parts.push(`order ${from.order} to ${to.order}`);
  return parts.join(', ');
}

/** The text of an entry, from its line to its closing brace. */
export function entryText(netlist: string[], line: number): string {
  if (line < 1 || line > netlist.length) return '';
  let depth = 0;
  const lines: string[] = [];
  for (let i = line - 1; i < netlist.length && lines.length < 60; ++i) {
    const text = netlist[i] ?? '';
    lines.push(text);
    for (const letter of text) depth += letter === '{' || letter === '[' ? 1 : letter === '}' || letter === ']' ? -1 : 0;
    if (depth <= 0) break;
  }
  return lines.join('\n').trim();
}

export class Model {
  readonly ops = new Map<string, Op>();
  readonly queues = new Map<string, Queue>();
  readonly edges: Edge[] = [];
  readonly into = new Map<string, Edge[]>();
  readonly outOf = new Map<string, Edge[]>();
  readonly epochOf = new Map<string, number>();
  readonly epochs: Epoch[];
  private lines: string[] | undefined;

  constructor(readonly run: Run) {
    for (const op of run.ops ?? []) this.ops.set(op.name, op);
    for (const queue of run.queues ?? []) this.queues.set(queue.name, queue);
    this.epochs = run.epochs ?? [];
    this.epochs.forEach((epoch, i) => { for (const op of epoch.ops) if (!this.epochOf.has(op.op)) this.epochOf.set(op.op, i); });
    for (const op of this.ops.values())
      op.inputs.forEach((input, k) => {
        const from = this.ops.get(input.from) ?? this.queues.get(input.from);
        this.add({ from: input.from, to: op.name, operand: k, tms: input.tms ?? '', reblock: from ? reblocking(from, op) : '' });
      });
    for (const queue of this.queues.values())
      if (this.ops.has(queue.input)) this.add({ from: queue.input, to: queue.name, operand: 0, tms: '', reblock: '' });
  }

  private add(edge: Edge): void {
    this.edges.push(edge);
    push(this.into, edge.to, edge);
    push(this.outOf, edge.from, edge);
  }

  entry(name: string): string {
    this.lines ??= (this.run.netlist ?? '').split('\n');
    return entryText(this.lines, this.ops.get(name)?.line ?? this.queues.get(name)?.line ?? 0);
  }

  /** First and last epoch that uses a queue; undefined: none. */
  lifetime(queue: string): [number, number] | undefined {
    const names = [...(this.into.get(queue) ?? []).map((e) => e.from), ...(this.outOf.get(queue) ?? []).map((e) => e.to)];
    const at = names.map((name) => this.epochOf.get(name)).filter((n): n is number => n !== undefined);
    return at.length > 0 ? [Math.min(...at), Math.max(...at)] : undefined;
  }

  /** The epoch of the trace that runs the same graphs. */
  traceEpoch(epoch: number): number | undefined {
    const graphs = [...(this.epochs[epoch]?.graphs ?? [])].sort().join(',');
    const found = this.run.trace?.epochs.find((row) => row.same_as === undefined && String(row.graphs).split(',').sort().join(',') === graphs);
    return found ? Number(found.epoch) : undefined;
  }

  /** Cycles of the cores of each op by cause. */
  times(epoch: number): Map<string, OpTime> {
    const of = this.traceEpoch(epoch);
    const cores = new Map<string, CoreRow[]>();
    for (const row of this.run.trace?.cores ?? []) if (row[0] === of) push(cores, row[1], row);
    const times = new Map<string, OpTime>();
    for (const [op, rows] of cores) times.set(op, opTime(rows));
    return times;
  }
}

export function opTime(rows: CoreRow[]): OpTime {
  const parts = causes.map((_, i) => rows.reduce((sum, row) => sum + Number(row[6 + i]), 0));
  const cycles = rows.reduce((sum, row) => sum + row[5] - row[4], 0);
  const most = parts.indexOf(Math.max(...parts));
  return { parts, cycles, limit: causes[most] ?? 'busy', busyShare: cycles > 0 ? (parts[0] ?? 0) / cycles : 0 };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
