import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packInstaller } from '../../../packaging/windows/installer.ts';

// makensis is one of Debian's packages, and ends with an error at each warning.
test.skipIf(process.platform !== 'linux').for([false, true])(
  'the script of the installer is understood by makensis, with a window: %j',
  async (hasWindow) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-nsis-'));
    try {
      const tree = path.join(folder, 'tree');
      for (const part of hasWindow ? ['core', 'window'] : ['core']) {
        await mkdir(path.join(tree, part), { recursive: true });
        await writeFile(path.join(tree, part, 'manifest.json'), '{}\n');
      }
      const file = await packInstaller({
        tree,
        folder,
        version: '1.2.3',
        time: 1_700_000_000,
        processor: 'x64',
        compression: 'fast',
        isTest: true,
        progress: () => undefined,
      });
      expect(path.basename(file)).toMatch(hasWindow ? /^waymaker-1\.2\.3-/ : /^waymaker-core-1\.2\.3-/);
      expect((await readFile(file)).toString('latin1', 0, 2)).toBe('MZ');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
