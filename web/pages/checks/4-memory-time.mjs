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

  async 'time zooms with Ctrl, sums a selection, and leads to ops'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'time');
    const said = () => page.textContent('#window');
    const before = await said();
    expect(before.startsWith('cycles 0 to '), `the whole run first: ${before}`);
    const box = await (await page.$('#gantt')).boundingBox();
    const middle = box.x + box.width / 2, row = box.y + 110;
    await page.mouse.move(middle, row);
    await page.mouse.wheel(0, 60);
    await page.waitForTimeout(60);
    expect((await said()) === before, 'the wheel alone scrolls');
    await page.evaluate(() => document.querySelector('#gantt').dispatchEvent(new window.WheelEvent('wheel', { deltaY: -300, ctrlKey: true, clientX: 700, clientY: 300, cancelable: true })));
    expect((await said()) !== before, 'Ctrl and the wheel change the window');
    expect(/from=\d+&to=\d+/.test(page.url()), `the address has the window: ${page.url()}`);
    const colours = await page.$eval('#gantt', (canvas) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    expect(colours > 5, `inputs are drawn: ${colours} colours`);
    await page.focus('#gantt');
    await page.keyboard.press('f');
    expect((await said()) === before, 'f fits');
    const at_ = await page.$eval('#gantt', (canvas) => canvas.getBoundingClientRect().toJSON());
    await page.mouse.move(at_.x + at_.width * 0.3, at_.y + 90);
    await page.mouse.down();
    await page.mouse.move(at_.x + at_.width * 0.7, at_.y + 90, { steps: 4 });
    await page.mouse.up();
    expect(/Selected: [\d,]+ cycles.*busy [\d.]+ %.*DRAM about/.test(await page.textContent('#sums')), `sums: ${await page.textContent('#sums')}`);
    await page.mouse.move(at_.x + at_.width * 0.4, at_.y + 82);
    expect(/length/.test(await page.textContent('#tooltip')), 'a tooltip');
    await page.keyboard.press('Escape');
    await page.mouse.click(at_.x + at_.width * 0.5, at_.y + 82);
    await page.waitForSelector('body[data-shown=placement]');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'the address keeps page, op and window'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await page.evaluate(() => { window.location.hash = 'time?from=1000&to=5000'; });
    await page.locator('#window', { hasText: 'cycles 1,000 to 5,000' }).waitFor();
    await page.evaluate(() => { window.location.hash = 'placement?op=mlp.down&colours=cause'; });
    await page.waitForSelector('#details');
    expect((await page.textContent('#details h2')) === 'mlp.down' && (await page.inputValue('#colours')) === 'cause', 'op and colours of the address');
    expect((await page.$('button[data-page=compare]')) === null, 'one run is not compared');
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
    await page.waitForFunction(() => document.querySelector('.lanes > div').clientHeight > 0);
    const rows = () => page.$eval('.lanes > div', (lanes) => lanes.clientHeight);
    const colours = await page.$eval('#gantt', (canvas) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    expect(colours > 3, `its inputs are drawn: ${colours} colours`);
    const one = await rows();
    await page.selectOption('#time-core', '');
    await page.waitForFunction((high) => document.querySelector('.lanes > div').clientHeight > high, one);
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
