import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signFolder } from '../../../../packaging/manifest/sign-folder.ts';
import { signingKeys } from '../../../../packaging/manifest/signing-keys.ts';
import { layWindowsCore, windowsCore } from '../../../../packaging/windows/core-folder.ts';
import type { ElectronFiles } from '../../../../packaging/desktop/electron-program.ts';
import { packInstaller } from '../../../../packaging/windows/installer.ts';
import { layWindow } from '../../../../packaging/windows/window-folder.ts';
import { run } from '../../../lab/runs/process.ts';
import { electronFilesForWindows } from '../../../unit/packaging/support/electron-files.ts';

/**
 * Installers of several versions, each with the same programs but for what a change does before or after it is signed.
 */
export interface MadeInstallers extends AsyncDisposable {
  make(version: string, change?: Change): Promise<string>;
}

export interface Change {
  /** Whether the window comes with it, in a double of Electron's program. */
  hasWindow?: boolean;
  /** Changes the folder `window` after it was signed. */
  afterWindow?: (window: string) => Promise<void>;
  /** Changes the folder `core` before it is signed. */
  before?: (core: string) => Promise<void>;
  /** Changes it afterwards. */
  after?: (core: string) => Promise<void>;
}

/** Of all files: any time will do. */
const time = 1_700_000_000;

export async function makeInstallers(updatesUrl?: string): Promise<MadeInstallers> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-installers-'));
  const keys = await signingKeys({});
  const kept = path.resolve(import.meta.dirname, '../../../../out/packages/.fetched');
  await cp(kept, path.join(folder, '.fetched'), { recursive: true }).catch(() => undefined);
  const core = await windowsCore({ processor: 'x64', folder, keys, version: '0.1.0', updatesUrl });
  let electron: ElectronFiles | undefined;
  return {
    async make(version, { before, after, hasWindow = false, afterWindow } = {}) {
      const tree = await mkdtemp(path.join(folder, 'tree-'));
      const laid = path.join(tree, 'core');
      await layWindowsCore(laid, core, { keys, version });
      if (before) {
        await before(laid);
        for (const name of await readdir(laid))
          if (name.startsWith('manifest.')) await rm(path.join(laid, name));
        await signFolder({ folder: laid, product: 'waymaker-core', version, privateKeys: keys.privateKeys });
      }
      await after?.(laid);
      if (hasWindow) {
        const window = path.join(tree, 'window');
        electron ??= await electronFilesForWindows(path.join(folder, 'electron'));
        await layWindow(window, { processor: 'x64', electron, folder, keys, version, updatesUrl });
        await afterWindow?.(window);
      }
      const file = await packInstaller({
        tree,
        version,
        folder,
        time,
        processor: 'x64',
        compression: 'fast',
        isTest: true,
        progress: () => undefined,
      });
      await rm(tree, { recursive: true });
      return file;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Compiles a program beside this file. */
export const compileForWindows = (source: string, program: string, ...more: string[]): Promise<unknown> =>
  run(
    ['x86_64-w64-mingw32-gcc', '-Os', '-Wall', '-Wextra', '-Werror'].concat(
      '-o',
      program,
      path.join(import.meta.dirname, source),
      // Libraries come after what needs them.
      more,
    ),
  );

/** A helper that ends as soon as it is started. */
export const brokenHelper = (core: string): Promise<void> =>
  writeFile(path.join(core, 'helper/helper.mjs'), 'process.exit(3);\n');

/** One byte more than was signed. */
export const tamperedHelper = (core: string): Promise<void> =>
  appendFile(path.join(core, 'helper/helper.mjs'), '\n');
