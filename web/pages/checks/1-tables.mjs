// Summary and tables: values equal those of ttperf, and clicks on titles sort.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { cells, expect, go, open } from '../browser.mjs';

export const checks = {
  async 'a trace opens with its summary'(browser, { root, at, tool }) {
    tool('run', join(root, 'examples/bert_encoder.yaml'), '--mode', 'timing', '--trace', at('bert.ttperf'), '--force');
    tool('report', at('bert.ttperf'), '-o', at('bert.html'), '--force');
    const { page, problems, milliseconds } = await open(browser, at('bert.html'));
    const text = await page.textContent('main');
    expect(text.includes('complete') && text.includes('grayskull'), `the summary says: ${text.slice(0, 300)}`);
    expect((await page.$$('#slowest tbody tr')).length === 10, 'ten slowest ops');
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
