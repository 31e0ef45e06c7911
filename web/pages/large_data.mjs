// Generates large inputs: the passes of a compiled model, including one of 60,000 edges.
import { cpSync, writeFileSync } from 'node:fs';

export const largePassName = '50-large';

/** Copies a compiled model's folder and adds a pass of `count` nodes; returns its number of edges. */
export function addLargePass(from, to, count = 24000) {
  let state = 1;
  const next = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below; };
  const nodes = [];
  for (let i = 0; i < count; ++i) {
    const inputs = i === 0 ? [] : Array.from({ length: i < 40 ? 1 : i % 2 === 0 ? 3 : 2 }, () => Math.max(0, i - 1 - next(60)));
    nodes.push({ name: `node_${i}`, op: i === 0 ? 'input' : ['add', 'matmul', 'exp'][i % 3], in: inputs, type: 'f32[1, 64]' });
  }
  cpSync(from, to, { recursive: true });
  writeFileSync(`${to}/passes/${largePassName}.json`, JSON.stringify({ nodes, outputs: [['y', count - 1]] }));
  return nodes.reduce((sum, node) => sum + node.in.length, 0) + 1;
}

/** Opens the large pass; returns the milliseconds until it is drawn. */
export async function showLargePass(page, go) {
  const started = performance.now();
  await go(page, 'graphs');
  const at = await page.$$eval('#pass option', (all, name) => all.findIndex((option) => option.textContent === name), largePassName);
  await page.selectOption('#pass', String(at));
  await page.waitForSelector(`canvas[data-graph="${largePassName}"]`);
  return performance.now() - started;
}

/** Sorted frame times in milliseconds while the wheel is turned over a canvas. */
export function framesOfWheel(page, selector) {
  return page.evaluate(async ([where, count]) => {
    const canvas = document.querySelector(where);
    const times = [];
    for (let i = 0; i < count; ++i) {
      const begun = performance.now();
      canvas.dispatchEvent(new window.WheelEvent('wheel', { deltaY: i % 2 ? 40 : -60, clientX: 500, clientY: 500, ctrlKey: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(done));
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
  }, [selector, framesOfWheel.count]);
}
framesOfWheel.count = 20;
