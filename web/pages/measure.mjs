// Measures reports in Chromium: measure.mjs TTSIM ROOT OUT. Generates its inputs, prints a line per report and a summary.
// PICTURES: a folder for pictures of every page, light and dark; MODEL: a folder made by 'ttsim compile --keep-passes';
// NETLISTS: netlists with options of 'ttsim run', separated by ';'.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { go, launch, open, overlappingLabels, violations } from './browser.mjs';
import { addLargePass, framesOfWheel, showLargePass } from './large_data.mjs';
import { longNetlist } from './long_netlist.mjs';

const [ttsim, root, out] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(out, { recursive: true });
const at = (name) => join(out, name);
const tool = (...words) => execFileSync(ttsim, words, { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] });
const timed = (work) => { const begun = performance.now(); work(); return performance.now() - begun; };
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (name) => statSync(at(name)).size / 1e6;
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const runs = Number(process.env.RUNS ?? 3), pictures = process.env.PICTURES;
const pages = ['summary', 'tables', 'placement', 'graphs', 'memory', 'time'];
const worst = { opening: 0, frame: 0, violations: 0, overlaps: 0, problems: 0 };

/** A function that returns the milliseconds of the processor that the page's thread has used since. */
async function taskTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => 1000 * (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value;
  const before = await now();
  return async () => await now() - before;
}

/** Opens a page several times and runs `after` each time; returns the medians as text. */
async function measureOpening(browser, file, after) {
  const times = [], frames = [], busy = [];
  for (let n = 0; n < runs; ++n) {
    const { page, problems, milliseconds } = await open(browser, at(file));
    times.push(milliseconds + await after(page));
    const used = await taskTime(page);
    frames.push(median(await framesOfWheel(page, 'canvas')));
    busy.push(await used() / framesOfWheel.count);
    if (problems.length > 0) throw new Error(problems.join('; '));
    await page.close();
  }
  worst.opening = Math.max(worst.opening, median(times));
  worst.frame = Math.max(worst.frame, median(frames));
  return `opens in ${seconds(median(times))}, a frame takes ${Math.round(median(frames))} ms (processor: ${median(busy).toFixed(0)} ms), load ${loadavg()[0].toFixed(1)}`;
}

/** Every page of a report in both themes: axe-core, labels at Fit, requests and errors, controls that can be used. */
async function sweep(browser, name, file) {
  const found = [];
  let labels = 0, controls = 0;
  const opening = [], change = { id: '', time: 0 };
  for (const theme of ['light', 'dark', 'light']) {
    const { page, problems, milliseconds } = await open(browser, at(file), theme);
    opening.push(milliseconds);
    if (opening.length === 3) { await page.close(); break; }
    for (const id of pages) {
      const begun = performance.now();
      await go(page, id);
      if (performance.now() - begun > change.time) Object.assign(change, { id, time: performance.now() - begun });
      await page.waitForTimeout(300);
      if (pictures) { mkdirSync(pictures, { recursive: true }); await page.screenshot({ path: join(pictures, `report-${name}-${id}-${theme}.png`) }); }
      const wrong = await violations(page);
      worst.violations += wrong.length;
      found.push(...wrong.map((text) => `${id}, ${theme}: ${text}`));
      if (id === 'graphs') {
        await page.click('#fit');
        const { count, overlaps } = await overlappingLabels(page, '#graph');
        labels = count;
        worst.overlaps += overlaps.length;
      }
      controls += await useControls(page);
    }
    worst.problems += problems.length;
    found.push(...problems);
    await page.close();
  }
  const median_ = median(opening);
  worst.opening = Math.max(worst.opening, median_);
  console.log(`${name}: ${megabytes(file).toFixed(1)} MB, opens in ${seconds(median_)}, slowest change of page ${seconds(change.time)} (${change.id}), load ${loadavg()[0].toFixed(1)}, ${controls} controls used, ${labels} labels at Fit${found.length > 0 ? `; ${found.join('; ')}` : ', nothing found'}`);
}
/** Chooses the last value of every list, and presses every box; returns how many. */
async function useControls(page) {
  return page.evaluate(async () => {
    let count = 0;
    const change = (control) => { control.dispatchEvent(new window.Event('change', { bubbles: true })); control.dispatchEvent(new window.Event('input', { bubbles: true })); ++count; };
    for (const select of document.querySelectorAll('main select')) { if (!select.isConnected) continue; select.value = select.options[select.options.length - 1]?.value ?? ''; change(select); await new Promise((done) => requestAnimationFrame(done)); }
    for (const box of document.querySelectorAll('main input[type=checkbox]')) { if (!box.isConnected) continue; box.checked = true; change(box); }
    for (const slider of document.querySelectorAll('main input[type=range]')) { if (!slider.isConnected) continue; slider.value = slider.max; change(slider); }
    for (const title of [...document.querySelectorAll('main th[data-key]')].slice(0, 4)) { title.click(); ++count; }
    return count;
  });
}

const browser = await launch();
try {
  tool('run', join(root, 'examples/bert_encoder.yaml'), '--report', at('encoder.html'), '--trace', at('encoder.ttperf'), '--trace-level', '2', '--mode', 'timing', '--force');
  await sweep(browser, 'encoder', 'encoder.html');
  tool('run', join(root, 'examples/two_chips.yaml'), '--report', at('chips.html'), '--mode', 'timing', '--force');
  await sweep(browser, 'two chips', 'chips.html');
  tool('compile', join(root, 'tests/lit/compile/inputs/product.tg'), '-o', at('small'), '--keep-passes', '--report', at('model.html'), '--force');
  await sweep(browser, 'compiled product', 'model.html');
  if (process.env.MODEL) {
    tool('run', resolve(process.env.MODEL), '--mode', 'timing', '--report', at('given.html'), '--force');
    await sweep(browser, 'given model', 'given.html');
  }
  for (const [i, words] of (process.env.NETLISTS ?? '').split(';').map((one) => one.trim().split(/\s+/)).filter((one) => one[0]).entries()) {
    tool('run', resolve(words[0]), ...words.slice(1), '--mode', 'timing', '--report', at(`netlist${i}.html`), '--force');
    await sweep(browser, basename(words[0]), `netlist${i}.html`);
  }

  const edges = addLargePass(at('small'), at('large'));
  const made = timed(() => tool('report', at('large'), '-o', at('large.html'), '--force'));
  console.log(`graph of ${edges} edges: written in ${seconds(made)}, ${megabytes('large.html').toFixed(1)} MB, ${await measureOpening(browser, 'large.html', (page) => showLargePass(page, go))}`);

  writeFileSync(at('long.yaml'), longNetlist(Number(process.env.GRAPHS ?? 380)));
  tool('run', at('long.yaml'), '--mode', 'timing', '--no-extrapolate', '--trace-level', '2', '--trace', at('long.ttperf'), '--force');
  const written = timed(() => tool('report', at('long.ttperf'), '--estimate', '-o', at('long.html'), '--force'));
  const showTime = async (page) => {
    const begun = performance.now();
    await go(page, 'time');
    await page.waitForSelector('#gantt');
    return performance.now() - begun;
  };
  console.log(`trace of ${megabytes('long.ttperf').toFixed(1)} MB: written in ${seconds(written)}, ${megabytes('long.html').toFixed(1)} MB, ${await measureOpening(browser, 'long.html', showTime)}`);
  console.log(`summary: slowest first view ${seconds(worst.opening)}, slowest frame ${Math.round(worst.frame)} ms, ${worst.violations} violations of axe-core, ${worst.overlaps} overlapping labels, ${worst.problems} errors or requests`);
} finally {
  await browser.close();
}
