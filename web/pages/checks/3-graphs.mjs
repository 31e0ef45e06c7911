// Graphs: all passes, search, links, differences, and a node in other passes.
import { writeFileSync } from 'node:fs';
import { expect, go, open, overlappingLabels } from '../browser.mjs';

const model = `%x = input : f32[1, 64, 128]
%w = constant [0.5] : f32[128, 128]
%m = matmul %x, %w : f32[1, 64, 128] from "mm"
%s = softmax %m {axis = 2} : f32[1, 64, 128] from "soft"
output "y" = %s
`;

export const checks = {
  async 'passes of a compiled model'(browser, { at, tool }) {
    writeFileSync(at('small.tg'), model);
    tool('compile', at('small.tg'), '-o', at('small'), '--keep-passes', '--force');
    tool('report', at('small'), '-o', at('small.html'), '--force');
    const { page, problems } = await open(browser, at('small.html'));
    await go(page, 'graphs');
    const passes = await page.$$eval('#pass option', (all) => all.map((option) => option.textContent));
    for (const stage of ['initial', 'decomposed', 'consteval', 'optimized', 'pre_lowering', 'pre_placer', 'post_placer'])
      expect(passes.some((pass) => pass.endsWith(stage)), `${stage} is missing: ${passes}`);
    await page.selectOption('#pass', '0');
    await page.waitForSelector('canvas[data-graph="00-initial"][data-layout=elk]');
    await page.keyboard.press('/');
    await page.keyboard.type('softmax');
    await page.keyboard.press('Enter');
    await page.waitForSelector('canvas[data-chosen="s"]');
    expect((await page.textContent('#details')).includes('softmax'), 'all fields of the node');
    expect((await page.$$('#across li')).length > 0, 'the same node in other passes');
    await page.click('#details [data-link=m]');
    await page.waitForSelector('canvas[data-chosen="m"]');
    const decomposed = String(passes.findIndex((pass) => pass.endsWith('decomposed')));
    await page.selectOption('#pass', decomposed);
    await page.selectOption('#against', '0');
    const said = await page.textContent('#graph-size');
    expect(/[1-9]\d* new/.test(said), `the difference: ${said}`);
    await go(page, 'placement');
    const harvested = (await page.$$('#grid rect.harvested')).length, unused = (await page.$$('#grid rect.unused')).length;
    expect(harvested === 8 && unused === 72, `one of ten rows of a wh_n150 is harvested: ${harvested}, ${unused}`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },

  async 'wheel, drag, click and fit'(browser, { at }) {
    const { page, problems } = await open(browser, at('bert.html'));
    await go(page, 'graphs');
    await page.waitForSelector('canvas[data-graph=post_placer][data-layout=elk]');
    const picture = () => page.$eval('canvas', (canvas) => canvas.toDataURL());
    const box = await (await page.$('canvas')).boundingBox();
    await page.click('#fit');
    await page.waitForTimeout(50);
    const before = await picture();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -600);
    await page.waitForTimeout(200);
    expect((await picture()) !== before, 'the wheel zooms');
    await page.click('#fit');
    await page.waitForTimeout(50);
    expect((await picture()) === before, 'Fit goes back');
    const { count, overlaps } = await overlappingLabels(page, '#graph');
    expect(count > 10 && overlaps.length === 0, `${count} labels; overlap: ${overlaps.slice(0, 3)}`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
  },
};
