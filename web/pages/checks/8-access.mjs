// Every page without violations of axe-core; on a phone; the licences of bundled libraries.
import { expect, go, open, violations } from '../browser.mjs';

const pages = ['summary', 'tables', 'placement', 'graphs', 'memory', 'time'];

export const checks = {
  // scripts/bench-pages checks more reports, and all pages in both themes
  async 'every page passes axe-core'(browser, { at }) {
    for (const theme of ['light', 'dark']) {
      const { page, problems } = await open(browser, at('bert.html'), theme);
      for (const name of theme === 'light' ? pages : ['summary', 'placement']) {
        await go(page, name);
        const found = await violations(page);
        expect(found.length === 0, `${name}, ${theme}: ${found.join('; ')}`);
      }
      expect(problems.length === 0, problems.join('; '));
      await page.close();
    }
  },

  async 'nothing is wider than a phone'(browser, { at }) {
    const { page } = await open(browser, at('bert.html'));
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of pages) {
      await go(page, name);
      await page.waitForTimeout(30);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= 391, `${name} is ${wide} pixels wide`);
    }
    await page.close();
  },

  async 'the page names its libraries and their licences'(browser, { at }) {
    const { page } = await open(browser, at('bert.html'));
    await page.keyboard.press('?');
    const text = await page.textContent('#licences');
    expect(/elkjs [\d.]+ \(EPL-2.0\)/.test(text) && text.includes('Eclipse Public License'), `licences: ${text.slice(0, 200)}`);
    await page.close();
  },
};
