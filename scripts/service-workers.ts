import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

const root = path.resolve(import.meta.dirname, '..');
const sources = path.join(root, 'src/renderer/offline/workers');

/**
 * Writes two files beside the built pages in `folder`: `service-worker.js`, which stores exactly this build, and
 * `withdrawn-service-worker.js`, which is served instead when it is no longer wanted.
 */
export async function writeServiceWorkers(folder: string): Promise<void> {
  const page = await readFile(path.join(folder, 'index.html'), 'utf8');
  const entry = /<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1];
  if (entry === undefined) throw new Error('index.html names no script');
  // Without subfolders, such as the flags of all countries, most of which are never shown.
  const entries = await readdir(path.join(folder, 'assets'), { withFileTypes: true });
  const names = entries
    .filter((file) => file.isFile() && !/\.(?:br|gz)$/.test(file.name))
    .map(({ name }) => name);
  const files = names.map((name) => `/assets/${name}`).sort();
  const version = createHash('sha256').update(page).update(files.join()).digest('hex').slice(0, 16);
  await write(folder, 'service-worker', { BUILD: JSON.stringify({ version, entry, files }) });
  await write(folder, 'withdrawn-service-worker', {});
}

async function write(folder: string, name: string, define: Record<string, string>): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    define,
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'baseline-widely-available',
      lib: {
        entry: path.join(sources, `${name}.ts`),
        formats: ['iife'],
        name: 'worker',
        fileName: () => `${name}.js`,
      },
    },
  });
}
