// ttsim report --serve: the list of runs in a folder, and the page of one run.
import { spawn } from 'node:child_process';
import { mkdirSync, copyFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from '../browser.mjs';

export const checks = {
  async 'a folder of runs over HTTP'(browser, { at }) {
    mkdirSync(at('runs'), { recursive: true });
    copyFileSync(at('bert.ttperf'), at('runs/first run.ttperf'));
    const server = spawn(resolve(process.argv[2]), ['report', '--serve', at('runs'), '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const said = await new Promise((done, fail) => {
        server.stdout.once('data', (text) => done(String(text)));
        server.once('exit', (code) => fail(new Error(`the server ended with ${code}`)));
      });
      const page = await browser.newPage();
      await page.goto(/http:\S+/.exec(said)[0]);
      await page.click('a');
      await page.waitForSelector('body[data-shown=summary]');
      expect((await page.textContent('main')).includes('first run.ttperf'), 'the run is shown');
      await page.close();
    } finally {
      const ended = new Promise((done) => server.once('exit', (code) => done(code)));
      server.kill('SIGINT');
      expect((await ended) === 0, 'a signal ends it in order');
    }
  },
};
