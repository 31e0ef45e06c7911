// Browser tests of reports of small generated runs: run.mjs TTSIM ROOT OUT. Exit code 77: no browser.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [ttsim, root, out] = process.argv.slice(2).map((path) => resolve(path));
if (!out) {
  console.error('usage: run.mjs TTSIM ROOT OUT');
  process.exit(2);
}
const { launch, program } = await import('./browser.mjs');
if (!existsSync(program)) {
  console.log(`skipped: there is no ${program}; 'scripts/setup test' installs it (Debian package chromium)`);
  process.exit(77);
}
mkdirSync(out, { recursive: true });

const tool = (...words) => execFileSync(ttsim, words, { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] });
const at = (name) => join(out, name);
const context = { root, at, tool };

const browser = await launch();
let failed = 0;
const only = process.env.ONLY;
try {
  for (const file of readdirSync(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, 'checks')).sort()) {
    const { checks } = await import(`./checks/${file}`);
    for (const [name, check] of Object.entries(checks)) {
      if (only && !name.includes(only)) continue;
      const started = performance.now();
      try {
        const said = await check(browser, context);
        console.log(`ok      ${name} (${Math.round(performance.now() - started)} ms)${said ? `: ${said}` : ''}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED  ${name}: ${error.message}`);
      }
    }
  }
} finally {
  await browser.close();
}
process.exit(failed > 0 ? 1 : 0);
