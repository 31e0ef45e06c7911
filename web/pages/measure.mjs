// Measures large reports in Chromium: measure.mjs TTSIM ROOT OUT. Generates its inputs and prints a line per report.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { go, launch, open } from './browser.mjs';
import { addLargePass, framesOfWheel, showLargePass } from './large_data.mjs';
import { longNetlist } from './long_netlist.mjs';

const [ttsim, root, out] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(out, { recursive: true });
const at = (name) => join(out, name);
const tool = (...words) => execFileSync(ttsim, words, { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] });
const timed = (work) => { const begun = performance.now(); work(); return performance.now() - begun; };
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (name) => statSync(at(name)).size / 1e6;
const median = (times) => times[Math.floor(times.length / 2)];
const runs = Number(process.env.RUNS ?? 3);

/** Opens a page several times and runs `after` each time; returns the medians as text. */
async function measureOpening(browser, file, after) {
  const times = [], frames = [];
  for (let n = 0; n < runs; ++n) {
    const { page, problems, milliseconds } = await open(browser, at(file));
    times.push(milliseconds + await after(page));
    frames.push(median(await framesOfWheel(page, 'canvas')));
    if (problems.length > 0) throw new Error(problems.join('; '));
    await page.close();
  }
  return `opens in ${seconds(median(times.sort((a, b) => a - b)))}, a frame takes ${Math.round(median(frames.sort((a, b) => a - b)))} ms`;
}

const browser = await launch();
try {
  tool('compile', join(root, 'tests/lit/compile/inputs/product.tg'), '-o', at('small'), '--keep-passes', '--force');
  const edges = addLargePass(at('small'), at('large'));
  const made = timed(() => tool('report', at('large'), '-o', at('large.html'), '--force'));
  console.log(`graph of ${edges} edges: written in ${seconds(made)}, ${megabytes('large.html').toFixed(1)} MB, ${await measureOpening(browser, 'large.html', (page) => showLargePass(page, go))}`);

  writeFileSync(at('long.yaml'), longNetlist(Number(process.env.GRAPHS ?? 380)));
  tool('run', at('long.yaml'), '--mode', 'timing', '--no-extrapolate', '--trace-level', '2', '--trace', at('long.ttperf'), '--force');
  const written = timed(() => tool('report', at('long.ttperf'), '-o', at('long.html'), '--force'));
  const showTime = async (page) => {
    const begun = performance.now();
    await go(page, 'time');
    await page.waitForSelector('#gantt');
    return performance.now() - begun;
  };
  console.log(`trace of ${megabytes('long.ttperf').toFixed(1)} MB: written in ${seconds(written)}, ${megabytes('long.html').toFixed(1)} MB, ${await measureOpening(browser, 'long.html', showTime)}`);
} finally {
  await browser.close();
}
