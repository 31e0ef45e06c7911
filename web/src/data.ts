// The data in a page (docs/report.md "Page data") and their decoding. C++ side: analysis/page/page_*.cpp.
export const pageVersion = 5;

export interface Blocking {
  grid: [number, number];
  t: number;
  mblock: [number, number];
  ublock: [number, number];
  order: 'r' | 'c';
}
export interface OpInput {
  from: string;
  tms?: string;
  df?: string;
}
export interface Op extends Blocking {
  name: string;
  type: string;
  graph: string;
  /** Of a netlist that trains: 'forward', 'backward', 'optimizer'. */
  epoch_type?: string;
  chip: number;
  at?: [number, number];
  transposed?: boolean;
  inputs: OpInput[];
  df: string;
  fidelity: string;
  line: number;
  [more: string]: unknown;
}
export interface Queue extends Blocking {
  name: string;
  input: string;
  type: 'queue' | 'ram';
  entries: number;
  chip: number;
  place: 'dram' | 'host';
  df: string;
  buffers: [channel: number, address: number][];
  buffer_bytes: number;
  alias?: string;
  line: number;
}
export interface EpochOp {
  op: string;
  chip: number;
  l1: [what: string, bytes: number][];
  ethernet?: boolean;
}
export interface Epoch {
  graphs: string[];
  chips: number[];
  launches: number;
  ops: EpochOp[];
}
export interface Chip {
  id: number;
  arch: string;
  clock_mhz: number;
  rows: number[];
  columns: number[];
  harvested_rows: number[];
  dram_channels: number;
  dram_channel_bytes: number;
  l1_bytes: number;
  l1_reserved: number;
}
export interface PassNode {
  name: string;
  op: string;
  in: (number | [node: number, tms: string])[];
  type: string;
  origin?: string;
  kind?: string;
  /** 'backward' or 'optimizer'; none: forward. */
  phase?: string;
  attrs?: Record<string, unknown>;
}
export interface Pass {
  name: string;
  nodes: PassNode[];
  outputs: [name: string, node: number][];
}
export type Row = Record<string, string | number | null>;
export type CoreRow = [
  epoch: number, op: string, x: number, y: number, start: number, end: number, busy: number,
  source: number, noc: number, dram: number, room: number, output: number, dst: number, pack: number,
  drain: number, math: number,
];
export interface Series {
  epoch: number;
  op: string;
  chip: number;
  x: number;
  y: number;
  start: number;
  end: number;
  /** Whether it is the core of its op with the most cycles of its own. */
  slowest?: boolean;
  series: (number | null)[][];
}
export interface Load {
  name: string;
  kind: string;
  chip: number;
  busy: number[];
  bytes: number;
  bytes_per_cycle: number;
  /** Of a NoC link: it leaves the node at column x and row y in this direction. */
  noc?: number;
  at?: [x: number, y: number];
  direction?: string;
  channel?: number;
  to_chip?: number;
}
/** Math of all cores of an op in an epoch, bytes of all inputs; first and last cycle from the epoch's start. */
export type WorkRow = [epoch: number, op: string, math: number, dramBytes: number, inBytes: number, outBytes: number, first: number, last: number];
/** NoC links that a pipe uses; of traces of level 2. */
export interface Route {
  op: string;
  operand: number;
  from: string;
  queue: string;
  chip: number;
  noc: number;
  links: [x: number, y: number, direction: string][];
  bytes: number;
}
/** A cause of lost time (ttperf advice --json). */
export interface AdviceCause {
  kind: string;
  place: string;
  share: number;
  gain: number;
  measured_gain: number | null;
  op: string;
  worst_epoch: number;
  remedies: string[];
}
export interface AdviceData {
  cycles: number;
  causes: AdviceCause[];
}
/** The report of 'ttsim run --json' (docs/figures.md). */
export interface RunReport {
  uncertainty?: number | null;
  host_seconds?: number;
  host_time_share?: number;
  end_to_end_per_second?: number | null;
  inputs_per_second?: number | null;
  latency_cycles?: number | null;
  [more: string]: unknown;
}
/** Figures of a training step (docs/figures.md). */
export interface Training {
  types: Row[];
  step: Row;
  saved_bytes: number;
}
export interface Trace {
  run: Row;
  training?: Training | null;
  bucket_cycles: number;
  epochs: Row[];
  ops: Row[];
  resources: Row[];
  cores: CoreRow[];
  series: Series[];
  loads: Load[];
  work: WorkRow[];
  routes?: Route[];
  advice?: AdviceData;
}
export interface Run {
  name: string;
  files: string[];
  notes: string[];
  arch?: string;
  validated?: boolean;
  netlist?: string;
  machine?: { name: string; chips: Chip[] };
  ops?: Op[];
  queues?: Queue[];
  epochs?: Epoch[];
  counts?: { graphs: number; ops: number; queues: number; dram_queue_bytes: number };
  passes?: Pass[];
  trace?: Trace;
  report?: RunReport;
  host_steps?: string[];
}
export interface PageData {
  kind: string;
  version: number;
  ttsim: string;
  runs: Run[];
}

/** Parts of a run that are decoded when a page needs them; until then a Section is in their place. */
export type RunPart = 'netlist' | 'ops' | 'queues' | 'epochs' | 'passes';
export type TracePart = 'ops' | 'resources' | 'cores' | 'series' | 'loads' | 'work' | 'routes';
export type Part = RunPart | `trace.${TracePart}`;
interface Section {
  section: number;
}
interface Columns {
  keys: string[];
  rows: unknown[][];
}

/** Decodes base64 text without a request, which pages opened from disk cannot make. */
function bytesOf(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export async function inflate(text: string): Promise<string> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

/** Objects of the same keys; null: the object does not have the key. Copies of one object are made faster than key by key. */
function objectsOf({ keys, rows }: Columns): Record<string, unknown>[] {
  const empty: Record<string, unknown> = Object.fromEntries(keys.map((key) => [key, undefined]));
  return rows.map((row) => {
    const object = { ...empty };
    for (let i = 0; i < keys.length; ++i) if (row[i] !== null) object[keys[i] ?? ''] = row[i];
    return object;
  });
}

const isSection = (value: unknown): value is Section => typeof value === 'object' && value !== null && 'section' in value;
const isColumns = (value: unknown): value is Columns => typeof value === 'object' && value !== null && 'keys' in value && 'rows' in value;

/** The texts after the first one of a page's data. */
/** Names of ops, queues and graphs in the parts of a run that are decoded. */
export function namesOf(run: Run): string[] {
  const rows = <T>(list: T[] | undefined): T[] => (Array.isArray(list) ? list : []);
  return [...rows(run.ops).map((op) => op.name), ...rows(run.queues).map((queue) => queue.name), ...rows(run.epochs).flatMap((epoch) => epoch.graphs),
    ...rows(run.trace?.ops).map((row) => String(row.op)), ...rows(run.trace?.epochs).map((row) => String(row.graphs))];
}

export class Sections {
  constructor(private readonly texts: string[]) {}

  private place(run: Run, part: Part): [object: Record<string, unknown>, key: string] {
    const inTrace = part.startsWith('trace.');
    return [(inTrace ? run.trace ?? {} : run) as Record<string, unknown>, inTrace ? part.slice(6) : part];
  }
  /** Whether all of these parts are decoded, or the run does not have them. */
  has(run: Run, parts: readonly Part[]): boolean {
    return parts.every((part) => { const [object, key] = this.place(run, part); return !isSection(object[key]); });
  }
  async decode(run: Run, parts: readonly Part[]): Promise<void> {
    await Promise.all(parts.map(async (part) => {
      const [object, key] = this.place(run, part), value = object[key];
      if (!isSection(value)) return;
      const decoded: unknown = JSON.parse(await inflate(this.texts[value.section - 1] ?? ''));
      object[key] = isColumns(decoded) ? objectsOf(decoded) : decoded;
    }));
  }
}

export async function readPage(text: string): Promise<{ data: PageData; sections: Sections }> {
  if (text.startsWith('@')) throw new Error('this page contains no data: ttsim report adds them');
  const [first, ...texts] = text.trim().split('\n');
  const data = JSON.parse(await inflate(first ?? '')) as PageData;
  if (data.kind !== 'ttsim page data') throw new Error(`the data in this page are "${data.kind}", not those of ttsim report`);
  if (data.version !== pageVersion)
    throw new Error(`the data in this page have version ${data.version}, but the page needs ${pageVersion}: build it again with scripts/web`);
  return { data, sections: new Sections(texts) };
}
