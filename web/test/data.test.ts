import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPage } from '../src/data';

const packed = (value: unknown) => deflateSync(Buffer.from(JSON.stringify(value))).toString('base64');

describe('the data of a page', () => {
  it('are decoded unchanged', async () => {
    const page = await readPage(packed({ kind: 'ttsim page data', version: 4, ttsim: '0', runs: [{ name: '\u00dc', files: [], notes: [] }] }));
    expect(page.runs[0]?.name).toBe('\u00dc');
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
