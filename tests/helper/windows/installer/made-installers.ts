import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signFolder } from '../../../../packaging/manifest/sign-folder.ts';
import { signingKeys } from '../../../../packaging/manifest/signing-keys.ts';
import { layWindowsCore, windowsCore } from '../../../../packaging/windows/core-folder.ts';
import { packInstaller } from '../../../../packaging/windows/installer.ts';

/** Installers of several versions, each with the same programs but for what a change does before or after it is signed. */
export interface MadeInstallers extends AsyncDisposable {
  make(version: string, change?: Change): Promise<string>;
}

export interface Change {
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
  return {
    async make(version, { before, after } = {}) {
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

/** A helper that ends as soon as it is started. */
export const brokenHelper = (core: string): Promise<void> =>
  writeFile(path.join(core, 'helper/helper.mjs'), 'process.exit(3);\n');

/** One byte more than was signed. */
export const tamperedHelper = (core: string): Promise<void> =>
  appendFile(path.join(core, 'helper/helper.mjs'), '\n');
