// Large inputs: a graph of 60,000 edges opens in under 3 s and moves; so does a large trace.
import { cpSync, statSync, writeFileSync } from 'node:fs';
import { expect, go, open } from '../browser.mjs';
import { longNetlist } from '../long_netlist.mjs';

const most = 3000;

export const checks = {
  async 'a pass of 60,000 edges'(browser, { at, tool }) {
    let state = 1;
    const next = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below; };
    const nodes = [];
    for (let i = 0; i < 24000; ++i) {
      const inputs = i === 0 ? [] : Array.from({ length: i < 40 ? 1 : i % 2 === 0 ? 3 : 2 }, () => Math.max(0, i - 1 - next(60)));
      nodes.push({ name: `node_${i}`, op: i === 0 ? 'input' : ['add', 'matmul', 'exp'][i % 3], in: inputs, type: 'f32[1, 64]' });
    }
    const edges = nodes.reduce((sum, node) => sum + node.in.length, 0) + 1;
    expect(edges > 59000, `${edges} edges`);
    cpSync(at('small'), at('large'), { recursive: true });
    writeFileSync(at('large/passes/50-large.json'), JSON.stringify({ nodes, outputs: [['y', 23999]] }));
    tool('report', at('large'), '-o', at('large.html'), '--force');
    const started = performance.now();
    const { page, problems } = await open(browser, at('large.html'));
    await go(page, 'graphs');
    const last = await page.$$eval('#pass option', (all) => all.findIndex((option) => option.textContent === '50-large'));
    await page.selectOption('#pass', String(last));
    await page.waitForSelector('canvas[data-graph="50-large"]');
    const shown = performance.now() - started;
    expect(shown < most, `it took ${Math.round(shown)} ms`);
    // frames while the wheel turns
    const frame = await page.evaluate(async () => {
      const canvas = document.querySelector('canvas');
      const times = [];
      for (let i = 0; i < 12; ++i) {
        const begun = performance.now();
        canvas.dispatchEvent(new window.WheelEvent('wheel', { deltaY: i % 2 ? 40 : -60, clientX: 500, clientY: 500, cancelable: true }));
        await new Promise((done) => requestAnimationFrame(done));
        times.push(performance.now() - begun);
      }
      return times.sort((a, b) => a - b)[6];
    });
    expect(frame < 150, `a frame takes ${Math.round(frame)} ms`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
    return `${edges} edges shown in ${Math.round(shown)} ms, median frame ${Math.round(frame)} ms`;
  },

  async 'a trace of more than 30 MB'(browser, { at, tool }) {
    writeFileSync(at('long.yaml'), longNetlist(Number(process.env.GRAPHS ?? 380)));
    tool('run', at('long.yaml'), '--mode', 'timing', '--no-extrapolate', '--trace-level', '2', '--trace', at('long.ttperf'), '--force');
    const size = statSync(at('long.ttperf')).size / 1e6;
    expect(size > 30, `the trace has ${size} MB`);
    tool('report', at('long.ttperf'), '-o', at('long.html'), '--force');
    const page_size = statSync(at('long.html')).size / 1e6;
    const { page, problems, milliseconds } = await open(browser, at('long.html'));
    const started = performance.now();
    await go(page, 'time');
    await page.waitForSelector('#gantt');
    const shown = milliseconds + performance.now() - started;
    expect(shown < most, `it took ${Math.round(shown)} ms`);
    expect(page_size < 10, `the page has ${page_size} MB`);
    expect(problems.length === 0, problems.join('; '));
    await page.close();
    return `trace ${size.toFixed(1)} MB, page ${page_size.toFixed(2)} MB, shown in ${Math.round(shown)} ms`;
  },
};
