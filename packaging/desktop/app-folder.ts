import { globSync } from 'node:fs';
import path from 'node:path';
import { layPackages, type NativePackage } from '../linux/core-tree.ts';
import { product } from '../linux/package-facts.ts';
import { lay, write } from '../linux/tree-files.ts';
import { built, scriptThreadBeside } from './app-bundle.ts';

/** The name of the menu entry's file, by which desktops know the app's windows, too. */
export const desktopId = 'waymaker.desktop';

/** What only the service needs, which serves the same pages: compressed copies, and its workers. */
const servedOnly = /\.(?:br|gz)$|service-worker\.js$/;

/**
 * Lays the app as Electron runs it: the main process, the preload, the pages, and beside them the packages with native
 * parts.
 */
export async function layApp(
  folder: string,
  app: { main: string; version: string; packages: readonly NativePackage[] },
): Promise<void> {
  const main = path.join(folder, 'out/main/index.js');
  await lay(app.main, main);
  await lay(scriptThreadBeside(app.main), scriptThreadBeside(main));
  await lay(built.preload, path.join(folder, 'out/preload/index.cjs'));
  for (const entry of globSync('**/*', { cwd: built.renderer, withFileTypes: true })) {
    const file = path.relative(built.renderer, path.join(entry.parentPath, entry.name));
    if (entry.isFile() && !servedOnly.test(file))
      await lay(path.join(built.renderer, file), path.join(folder, 'out/renderer', file));
  }
  await layPackages(path.join(folder, 'node_modules'), app.packages);
  const description = {
    name: 'waymaker',
    productName: 'Waymaker',
    version: app.version,
    description: 'AnyConnect-compatible VPN',
    author: product.maintainer,
    license: product.licence,
    type: 'module',
    main: 'out/main/index.js',
    desktopName: desktopId,
  };
  await write(path.join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}
