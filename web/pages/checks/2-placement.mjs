// Placement: positions of ops, highlighted inputs (orange) and outputs (blue), epochs and colours.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, go, open } from '../browser.mjs';

export const checks = {
  async 'ops are placed as in the netlist'(browser, { root, at, tool }) {
    tool('report', join(root, 'examples/bert_encoder.yaml'), '-o', at('netlist.html'), '--force');
    const { page, problems } = await open(browser, at('netlist.html'));
    await go(page, 'placement');
    const boxes = await page.$$eval('#grid rect[data-name]', (all) => all.map((box) => ({ name: box.dataset.name, x: Number(box.getAttribute('x')), y: Number(box.getAttribute('y')), w: Number(box.getAttribute('width')) })));
    const mm = boxes.find((box) => box.name === 'q_matmul') ?? boxes.find((box) => box.w > 70);
    expect(mm, 'no op is drawn');
    expect((await page.$$('#grid rect.unused')).length === 120, 'all cores of a Grayskull are there');
    await page.focus(`#grid rect[data-name="${mm.name}"]`);
    const entry = await page.textContent('#entry');
    expect(entry.startsWith(mm.name), `the entry of ${mm.name}: ${entry.slice(0, 80)}`);
    const lit = await page.$$eval('#grid rect[data-lit=input], #grid rect[data-lit=output]', (all) => all.map((box) => box.dataset.name));
    expect(lit.length >= 2, `inputs and outputs of ${mm.name} are lit: ${lit}`);
    const link = await page.$eval('#details [data-link]', (link) => link.dataset.link);
    expect(lit.includes(link), `${link} is linked and lit`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'a row of the op table leads to the op, coloured by what limits it'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    const op = await page.textContent('#slowest tbody tr td');
    await page.click('#slowest tbody tr');
    await page.waitForSelector('body[data-shown=placement]');
    await page.mouse.move(5, 5);  // away from the op that the pointer is on now
    expect((await page.textContent('#details h2')) === op, `${op} is shown`);
    const colour = () => page.$eval(`#grid rect[data-name="${op}"]`, (box) => box.getAttribute('fill'));
    const busy = await colour();
    await page.selectOption('#colours', 'cause');
    expect((await colour()) !== busy, 'colours change with the selection');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'each of two chips has its ops'(browser, { root, at, tool }) {
    tool('report', join(root, 'examples/two_chips.yaml'), '-o', at('chips.html'), '--force');
    const { page, problems } = await open(browser, at('chips.html'));
    await go(page, 'placement');
    const ops = () => page.$$eval('#grid rect[data-name]', (all) => all.map((box) => box.dataset.name).join());
    const first = await ops();
    await page.selectOption('#chip', '1');
    expect((await ops()) !== first, 'the other chip has other ops');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'a chip that is idle in the epoch is not shown first'(browser, { root, at, tool }) {
    const netlist = readFileSync(join(root, 'examples/eltwise_chain.yaml'), 'utf8');
    writeFileSync(at('second.yaml'), netlist.replaceAll('target_device: 0', 'target_device: 1').replace(/arch: .*/, 'arch: wormhole_b0'));
    tool('report', at('second.yaml'), '-o', at('second.html'), '--force');
    const { page } = await open(browser, at('second.html'));
    await go(page, 'placement');
    expect((await page.inputValue('#chip')) === '1', 'chip 1 is shown');
    expect((await page.$$('#grid rect[data-name]')).length > 3, 'with its ops');
    await page.close();
  },
};
