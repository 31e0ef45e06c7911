import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPage, type Run } from '../src/data';

const packed = (value: unknown) => deflateSync(Buffer.from(JSON.stringify(value))).toString('base64');

describe('the data of a page', () => {
  it('are decoded unchanged', async () => {
    const { data } = await readPage(packed({ kind: 'ttsim page data', version: 5, ttsim: '0', runs: [{ name: '\u00dc', files: [], notes: [] }] }));
    expect(data.runs[0]?.name).toBe('\u00dc');
  });
  it('have sections, decoded on request', async () => {
    const main = { kind: 'ttsim page data', version: 5, ttsim: '0', runs: [{ name: 'n', files: [], notes: [], netlist: { section: 1 }, trace: { loads: { section: 2 }, work: { section: 3 } } }] };
    const { data, sections } = await readPage([main, 'text', { keys: ['name', 'noc'], rows: [['a', null], ['b', 1]] }, [[1]]].map(packed).join('\n'));
    const run = data.runs[0] as Run;
    expect(sections.has(run, ['netlist'])).toBe(false);
    await sections.decode(run, ['netlist', 'trace.loads', 'passes']);
    expect(sections.has(run, ['netlist', 'trace.loads', 'passes'])).toBe(true);
    expect(sections.has(run, ['trace.work'])).toBe(false);
    expect(run.netlist).toBe('text');
    expect(run.trace?.loads).toEqual([{ name: 'a' }, { name: 'b', noc: 1 }]);
  });
  it('of another version are refused with a remedy', async () => {
    await expect(readPage(packed({ kind: 'ttsim page data', version: 1, runs: [] }))).rejects.toThrow('scripts/web');
  });
  it('of another kind are refused', async () => {
    await expect(readPage(packed({ kind: 'x', version: 1 }))).rejects.toThrow('not those of ttsim report');
  });
  it('that are missing are reported', async () => {
    await expect(readPage('@TTSIM_PAGE_DATA@')).rejects.toThrow('contains no data');
  });
});
