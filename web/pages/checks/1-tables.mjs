// Summary and tables: values equal those of ttperf, and clicks on titles sort.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cells, expect, go, open } from '../browser.mjs';

export const checks = {
  async 'a trace opens with its summary'(browser, { root, at, tool }) {
    // the page of the run itself has more than that of its trace: the uncertainty, and seconds of the host
    tool('run', join(root, 'examples/bert_encoder.yaml'), '--mode', 'timing', '--trace', at('bert.ttperf'), '--report', at('bert.html'), '--force');
    const { page, problems, milliseconds } = await open(browser, at('bert.html'));
    const text = await page.textContent('main');
    expect(text.includes('complete') && text.includes('grayskull'), `the summary says: ${text.slice(0, 300)}`);
    expect((await page.$$('#slowest tbody tr')).length === 10, 'ten slowest ops');
    const cards = await cells(page, '#cards .card');
    expect(/^Time\d+ .s[\d,]+ cycles, \u00b1 \d+ %$/.test(cards[0]), `time with its uncertainty: ${cards[0]}`);
    expect(cards.filter((card) => /\d/.test(card)).length >= 5, `figures in the cards: ${cards.join('; ')}`);
    expect((await page.$$('#advice > li')).length === 3 && /gain [\d.]+ % \(simulated\)/.test(await page.textContent('#advice')), 'three causes with their gains');
    expect((await page.$$('circle[data-op]')).length > 30, 'every op is on the roofline');
    expect((await page.$$('g[data-epoch] rect[data-part]')).length > 6, 'bars by epoch and cause');
    expect((await cells(page, '#transfers tbody td:first-child')).includes('host (PCIe)'), 'transfers of the host');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
    return `open in ${Math.round(milliseconds)} ms`;
  },

  async 'tables have the values of ttperf and sort'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'tables');
    const ttperf = join(dirname(process.argv[2]), 'ttperf');
    const report = JSON.parse(execFileSync(ttperf, [at('bert.ttperf'), '--epoch', '0', '--json']));
    const names = await cells(page, '#ops tbody td:first-child');
    for (const op of report.ops) expect(names.includes(op.op), `${op.op} is missing in the table`);
    await page.click('#ops th[data-key=kernel]');
    const sorted = (await cells(page, '#ops tbody td:nth-child(8)')).map((cell) => Number(cell.replace(/,/g, '')));
    expect(sorted.length > 3 && sorted.every((value, i) => i === 0 || value <= sorted[i - 1]), `kernel, largest first: ${sorted}`);
    const largest = Math.max(...report.ops.map((op) => op.kernel));
    expect(Math.abs(sorted[0] - largest) <= 1, `${sorted[0]} is not ttperf's ${largest}`);
    await page.focus('#ops th[data-key=kernel]');
    await page.keyboard.press('Enter');
    const up = (await cells(page, '#ops tbody td:nth-child(8)')).map((cell) => Number(cell.replace(/,/g, '')));
    expect(up.every((value, i) => i === 0 || value >= up[i - 1]), 'Enter reverses the order');
    expect((await page.$$('#resources tbody tr')).length > 0, 'links and channels');
    await page.fill('input[aria-label="filter rows of ops"]', 'matmul');
    const types = await cells(page, '#ops tbody td:nth-child(2)');
    expect(types.length > 3 && types.every((type) => type.includes('matmul')), `filtered: ${types}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.framed:has(#ops) button:text-is("CSV")')]);
    const csv = readFileSync(await download.path(), 'utf8').trim().split('\n');
    expect(csv.length === types.length + 1 && csv[0].startsWith('op,type,epoch'), `CSV has the rows shown: ${csv.length}`);
    const place = await page.$eval('#ops', (table) => { table.closest('.scroll').scrollLeft = 300; return table.querySelector('tbody td').getBoundingClientRect().left - table.closest('.scroll').getBoundingClientRect().left; });
    expect(Math.abs(place) < 2, `the first column stays: ${place}`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'keys change pages and colours'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'), 'dark');
    const back = () => page.evaluate(() => window.getComputedStyle(document.body).backgroundColor);
    const dark = await back();
    await page.keyboard.press('t');
    expect((await back()) !== dark, 't changes the colours');
    await page.keyboard.press('2');
    await page.waitForSelector('body[data-shown=tables]');
    await page.keyboard.press('?');
    await page.waitForSelector('#keys[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#keys', { state: 'detached' });
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },
};
