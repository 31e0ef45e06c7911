// The page of a sweep: pictures, table, and the facts of a point.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, open } from '../browser.mjs';

const grid = [1, 2, 4, 8].flatMap((n) => ['wh_n150', 'gs_e150'].map((device) => ({ n, device })));
const data = {
  axes: ['run.inputs_count', 'device'], measures: ['cycles', 'rate'], less: ['cycles'], objectives: ['cycles', 'rate'],
  rows: grid.length, reports: { k0: 'reports/k0.html' },
  columns: {
    'run.inputs_count': grid.map((p) => p.n), device: grid.map((p) => p.device), cycles: grid.map((p, i) => 1000 * p.n + 7 * i),
    rate: grid.map((p, i) => (i === 3 ? null : 50 * p.n)), key: grid.map((_, i) => `k${i}`), status: grid.map((_, i) => (i === 5 ? 'hang' : 'ok')),
    message: grid.map(() => ''), command: grid.map((p) => `ttsim run '<a>.yaml' --inputs-count ${p.n}`), build: grid.map(() => '1'),
  },
};

export const checks = {
  async 'a sweep shows pictures, a table and the facts of a point'(browser, { root, at }) {
    const text = readFileSync(join(root, 'build/web/sweep.html'), 'utf8');
    const file = at('sweep.html');
    writeFileSync(file, text.replace('@TTSIM_PAGE_DATA@', () => JSON.stringify(data).replaceAll('<', '\\u003c')));
    const { page, problems, milliseconds } = await open(browser, file);
    const side = () => page.textContent('aside');
    expect((await side()).includes("ttsim run '<a>.yaml' --inputs-count 1"), `the best point is shown first: ${await side()}`);
    expect((await page.getAttribute('#report', 'href')) === 'reports/k0.html', 'the report of the point is linked');
    for (const view of ['scatter', 'parallel', 'heat']) {
      await page.click(`#view-${view}`);
      expect((await page.$$('#chart canvas')).length === 1, `${view} has a picture`);
      expect((await page.getAttribute(`#view-${view}`, 'aria-current')) === 'page', `${view} is marked`);
    }
    const box = await (await page.$('#chart canvas')).boundingBox();
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.2);
    expect((await side()).includes('gs_e150'), `a click chooses a point: ${await side()}`);
    await page.selectOption('#status', 'all');
    await page.click('#view-table');
    expect((await page.$$('tbody tr')).length === grid.length, 'the table has all points');
    await page.focus('tbody tr:nth-child(6)');
    await page.keyboard.press('Enter');
    expect((await side()).includes('hang'), 'Enter chooses a row');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
    return `open in ${Math.round(milliseconds)} ms`;
  },
};
