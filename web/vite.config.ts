import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

interface Bundled {
  name: string;
  version: string;
  licence: string;
  text: string;
}

/** The licence file of a package; without one, the text of its licence in LICENSES. */
function licenceText(folder: string, licence: string): string {
  const file = existsSync(folder) ? readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name)) : undefined;
  if (file) return readFileSync(`${folder}/${file}`, 'utf8');
  return existsSync(`../LICENSES/${licence}.txt`) ? readFileSync(`../LICENSES/${licence}.txt`, 'utf8') : licence;
}

/** The packages whose modules are in the bundle. */
function bundledPackages(modules: string[]): Bundled[] {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; license?: string; dev?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([path, part]) => path !== '' && !part.dev && modules.some((module) => module.includes(`/${path}/`)))
    .map(([path, part]) => {
      const licence = part.license ?? 'unknown licence';
      return { name: path.replace(/^.*node_modules\//, ''), version: part.version, licence, text: licenceText(path, licence) };
    });
}

/** A comment with name, version and licence of each package (see THIRD_PARTY.md), and their licences for the page. */
function bundledParts(parts: Bundled[]): string {
  const names = parts.map((part) => `${part.name} ${part.version} (${part.licence})`);
  const json = JSON.stringify(parts).replace(/</g, '\\u003c').replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `<!-- Contains, unchanged, these npm packages, whose sources are in the registry: ${names.join(', ')}. -->\n` +
    `<script type="application/json" id="ttsim-licences">${json}</script>`;
}

/** The page to build: report (index.html) or sweep (sweep.html). */
const source = process.env.TTSIM_PAGE === 'sweep' ? 'sweep.html' : 'index.html';

/** Inlines script and style, so that the page is one file that opens from disk. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle[source];
      if (!page || page.type !== 'asset') throw new Error(`${source} is not in the bundle`);
      let html = String(page.source);
      const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        const text = part.type === 'chunk' ? part.code : String(part.source);
        if (name.endsWith('.js')) {
          // the first closing tag ends a script, even in a string; a replacement function keeps '$' literal
          const safe = text.replace(/<\/script/g, '<\\/script');
          html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, '');
          html = html.replace('</body>', () => `<script type="module">${safe}</script>\n</body>`);
        } else if (name.endsWith('.css')) {
          html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/, () => `<style>${text}</style>`);
        } else {
          throw new Error(`${name} would be a separate file`);
        }
        Reflect.deleteProperty(bundle, name);
      }
      page.source = html.replace('<head>', () => `<head>\n${bundledParts(bundledPackages(modules))}`);
      page.fileName = source === 'sweep.html' ? 'sweep.html' : 'report.html';
    },
  };
}

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    outDir: process.env.TTSIM_WEB_OUT ?? '../build/web',
    emptyOutDir: false,
    modulePreload: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: source, output: { inlineDynamicImports: true } },
  },
  worker: { format: 'iife' },
  plugins: [oneFile()],
  test: { include: ['test/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
