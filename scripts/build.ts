import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'electron-vite';
import { buildHelper } from './build-helper.ts';
import { beginBuild } from './build-stamp.ts';
import { compressPages } from './compress-pages.ts';
import { writeServiceWorkers } from './service-workers.ts';

/** Builds everything that is shipped: main, preload and renderer, the helper as one file, and all licences. */
const root = path.resolve(import.meta.dirname, '..');
const endBuild = beginBuild();
for (const folder of ['main', 'preload', 'renderer', 'helper']) {
  rmSync(path.join(root, 'out', folder), { recursive: true, force: true });
}
// Without the sizes of hundreds of files, which nobody needs who only wants to start it.
await build({ root, logLevel: 'error' });
const pages = path.join(root, 'out/renderer');
await writeServiceWorkers(pages);
await compressPages(pages);
await buildHelper();
for (const file of ['LICENSE', 'THIRD-PARTY-NOTICES'])
  copyFileSync(path.join(root, file), path.join(root, 'out', file));
endBuild();
