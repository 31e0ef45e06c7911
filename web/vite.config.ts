import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** A comment with name, version and licence of each bundled package (see THIRD_PARTY.md). */
function bundledParts(): string {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; license?: string; dev?: boolean }>;
  };
  const parts = Object.entries(lock.packages)
    .filter(([path, part]) => path !== '' && !part.dev)
    .map(([path, part]) => `${path.replace(/^.*node_modules\//, '')} ${part.version} (${part.license ?? 'unknown licence'})`);
  return `<!-- Contains, unchanged, these npm packages, whose sources are in the registry: ${parts.join(', ')}. -->`;
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
      page.source = html.replace('<head>', () => `<head>\n${bundledParts()}`);
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
