import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeServiceWorkers } from '../../../../scripts/service-workers.ts';
import product from '../../../../package.json' with { type: 'json' };
import { builtRenderer } from '../host/paths.ts';

export const { version } = product;
export const nextVersion = '99.0.0';

/** The same pages as if of a later version: with other names for all files, and that version at the login page. */
export async function writeNextBuild(folder: string): Promise<void> {
  await cp(builtRenderer, folder, { recursive: true, filter: (file) => !/\.(?:br|gz)$/.test(file) });
  const assets = path.join(folder, 'assets');
  const names = await readdir(assets);
  const hashed = /-([\w-]{8})(?=\.\w+$)/;
  const texts = [
    ...names.filter((name) => /\.(?:js|css)$/.test(name)).map((name) => path.join(assets, name)),
    path.join(folder, 'index.html'),
    path.join(folder, 'preload.json'),
  ];
  for (const file of texts) {
    let text = await readFile(file, 'utf8');
    for (const name of names) text = text.replaceAll(name, name.replace(hashed, '-next$1'));
    await writeFile(file, text.replaceAll(version, nextVersion));
  }
  for (const name of names) {
    await rename(path.join(assets, name), path.join(assets, name.replace(hashed, '-next$1')));
  }
  await writeServiceWorkers(folder);
}
