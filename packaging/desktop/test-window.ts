import { cp } from 'node:fs/promises';
import path from 'node:path';
import { installed } from '../linux/core-tree.ts';
import { lay, write } from '../linux/tree-files.ts';
import { bundle, type Bundle } from './app-bundle.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What moves Chromium, laid as it is: it finds files of its own. */
const browserDriver = 'playwright-core';

const programs = {
  'window.mjs': 'tests/stand-in/installed-window.ts',
  'register.mjs': 'tests/stand-in/register.ts',
  'electron.mjs': 'tests/stand-in/electron/electron.ts',
} as const;

/** Bundles the stand-in's programs into folders of their own in `folder`. */
export async function bundleStandIn(folder: string): Promise<Bundle[]> {
  const bundles: Bundle[] = [];
  for (const [name, entry] of Object.entries(programs)) {
    const file = path.join(folder, path.parse(name).name, name);
    bundles.push(await bundle({ entry: path.join(root, entry), file, external: [browserDriver] }));
  }
  return bundles;
}

/** Lays the tests' stand-in for Electron into `folder` as the program that runs `app`. */
export async function layTestWindow(folder: string, standIn: readonly Bundle[], app: string): Promise<void> {
  await cp(app, path.join(folder, 'resources/app'), { recursive: true });
  for (const { file } of standIn) await lay(file, path.join(folder, 'stand-in', path.basename(file)));
  const driver = path.join(root, 'node_modules', browserDriver);
  await cp(driver, path.join(folder, 'stand-in/node_modules', browserDriver), { recursive: true });
  const start = `#!/bin/sh\nexec ${installed.node} /opt/Waymaker/stand-in/window.mjs "$@"\n`;
  await write(path.join(folder, 'waymaker'), start, 0o755);
}
