// Opens reports in Chromium and records errors and network requests of the page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
/** Pairs of labels of a graph that overlap by more than a pixel, as drawn last. */
export function overlappingLabels(page, selector) {
  return page.$eval(selector, (canvas) => {
    const boxes = canvas.labels ?? [], overlaps = [];
    const meet = (a, b) => a.x + 1 < b.x + b.w && b.x + 1 < a.x + a.w && a.y + 1 < b.y + b.h && b.y + 1 < a.y + a.h;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { if (meet(a, b)) overlaps.push(`${a.text} / ${b.text}`); }));
    return { count: boxes.length, overlaps };
  });
}
/** Violations of axe-core on the page as it is. */
export async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => (await window.axe.run(document)).violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`));
}
export const cells = (page, selector) => page.$$eval(selector, (found) => found.map((cell) => cell.textContent));
