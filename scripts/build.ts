import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'electron-vite';
import { buildHelper } from './build-helper.ts';
import { compressPages } from './compress-pages.ts';

/** Builds what is shipped: main, preload and renderer, and the helper as one file. */
const root = path.resolve(import.meta.dirname, '..');
for (const folder of ['main', 'preload', 'renderer', 'helper']) {
  rmSync(path.join(root, 'out', folder), { recursive: true, force: true });
}
await build({ root });
await compressPages(path.join(root, 'out/renderer'));
await buildHelper();
