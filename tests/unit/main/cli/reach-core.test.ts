import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isUnusableFolder } from '../../../../src/main/cli/profile-folder.ts';
import { reachCore } from '../../../../src/main/cli/reach-core.ts';

/** As a home that cannot be written to: nobody can make a folder in a file. */
test.runIf(process.platform === 'linux')(
  'a data folder that cannot be made is said to be why, and not a log that would be in it',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-reach-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const home = path.join(folder, 'home');
    writeFileSync(home, '');
    const profile = path.join(home, '.config/Waymaker');
    const reached = reachCore({
      env: { XDG_RUNTIME_DIR: folder },
      platform: 'linux',
      profile,
      version: '1.0.0',
      logFile: path.join(profile, 'logs/daemon.log'),
      say: (key) => key,
    });
    const error: unknown = await reached.catch((reason: unknown) => reason);
    expect(isUnusableFolder(error, profile)).toBe(true);
  },
);
