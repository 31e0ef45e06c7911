// Memory, time, and two runs side by side.
import { join } from 'node:path';
import { cells, expect, go, open } from '../browser.mjs';

export const checks = {
  async 'L1 and DRAM, largest first'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'memory');
    for (const [selector, column] of [['#l1', 3], ['#dram', 5]]) {
      const sizes = (await cells(page, `${selector} tbody td:nth-child(${column})`)).map((cell) => Number(cell.replace(/,/g, '')));
      expect(sizes.length > 3 && sizes.every((size, i) => i === 0 || size <= sizes[i - 1]), `${selector}: ${sizes.slice(0, 6)}`);
    }
    expect((await page.$$('rect[data-l1]')).length > 3, 'bars of L1');
    expect((await page.$$('rect[data-queue]')).length > 0, 'buffers of channel 0');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'time zooms and leads to ops'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'time');
    const before = await page.textContent('#window');
    expect(before.startsWith('cycles 0 to '), `the whole epoch first: ${before}`);
    const box = await (await page.$('#gantt')).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -800);
    await page.waitForTimeout(60);
    expect((await page.textContent('#window')) !== before, 'the wheel changes the window');
    const colours = await page.$eval('#gantt', (canvas) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    expect(colours > 5, `inputs are drawn: ${colours} colours`);
    await page.focus('#gantt');
    await page.keyboard.press('f');
    expect((await page.textContent('#window')) === before, 'f fits');
    await page.mouse.click(box.x + box.width / 2, box.y + 60);
    await page.waitForSelector('body[data-shown=placement]');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'a core of the placement leads to its time, a line for each cause'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'placement');
    const core = await page.$eval('#grid [data-core]', (link) => link.dataset.core);
    await page.click(`#grid [data-core="${core}"]`);
    await page.waitForSelector('body[data-shown=time]');
    expect((await page.inputValue('#time-core')).endsWith(`:${core}`), `core ${core} is chosen`);
    const rows = () => page.$eval('#gantt', (canvas) => canvas.clientHeight);
    const colours = await page.$eval('#gantt', (canvas) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    expect(colours > 3, `its inputs are drawn: ${colours} colours`);
    const one = await rows();
    await page.selectOption('#time-core', '');
    expect((await rows()) > one, 'all ops again');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'two runs: differences by op'(browser, { root, at, tool }) {
    tool('run', join(root, 'examples/bert_encoder.yaml'), '--arch', 'wormhole_b0', '--mode', 'timing', '--trace', at('other.ttperf'), '--force');
    tool('report', at('bert.ttperf'), at('other.ttperf'), '-o', at('both.html'), '--force');
    const { page, problems } = await open(browser, at('both.html'));
    await go(page, 'compare');
    const differences = (await cells(page, '#compare tbody td:nth-child(6)')).map((cell) => Math.abs(Number(cell.replace(/,/g, ''))));
    expect(differences.length > 3 && differences[0] > 0, `differences: ${differences}`);
    expect(differences.every((value, i) => i === 0 || value <= differences[i - 1] + 0.01), 'largest first');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'a trace and its netlist are one run'(browser, { root, at, tool }) {
    tool('report', join(root, 'examples/bert_encoder.yaml'), at('bert.ttperf'), '-o', at('joined.html'), '--force');
    const { page, problems } = await open(browser, at('joined.html'));
    expect((await page.$('#run')) === null, 'one run has no choice of runs');
    expect((await page.textContent('main')).includes('bert_encoder.yaml'), 'both files are named');
    expect((await page.$$('#slowest tbody tr')).length > 0, 'with the ops of the trace');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },
};
