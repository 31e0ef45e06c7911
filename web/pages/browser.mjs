// Opens reports in Chromium and records errors and network requests of the page.
import { chromium } from 'playwright-core';

export const program = process.env.CHROMIUM ?? '/usr/bin/chromium';

export async function launch() {
  // the sandbox needs privileges that a container may not have
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Opens a file in a page, with the problems found: network requests and errors. */
export async function open(browser, file, theme = 'light') {
  const page = await browser.newPage({ colorScheme: theme, viewport: { width: 1400, height: 900 } });
  const problems = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(file|blob|data):/.test(url)) problems.push(`the page requested ${url}`);
  });
  page.on('pageerror', (error) => problems.push(`error in the page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  const started = performance.now();
  await page.goto(`file://${file}`);
  await page.waitForSelector('body[data-shown]', { timeout: 20000 });
  return { page, problems, milliseconds: performance.now() - started };
}

export async function go(page, name) {
  await page.click(`button[data-page=${name}]`);
  await page.waitForSelector(`body[data-shown=${name}]`);
}
export function expect(condition, what) {
  if (!condition) throw new Error(what);
}
export const cells = (page, selector) => page.$$eval(selector, (found) => found.map((cell) => cell.textContent));
