// A graph of 60,000 edges is drawn and can be moved. scripts/bench-pages measures the time.
import { expect, go, open } from '../browser.mjs';
import { addLargePass, framesOfWheel, showLargePass } from '../large_data.mjs';

export const checks = {
  async 'a pass of 60,000 edges'(browser, { at, tool }) {
    const edges = addLargePass(at('small'), at('large'));
    expect(edges > 59000, `${edges} edges`);
    tool('report', at('large'), '-o', at('large.html'), '--force');
    const { page, problems } = await open(browser, at('large.html'));
    await showLargePass(page, go);
    expect((await framesOfWheel(page, 'canvas')).length > 0, 'it moves');
    expect(problems.length === 0, problems.join('; '));
    await page.close();
    return `${edges} edges`;
  },
};
