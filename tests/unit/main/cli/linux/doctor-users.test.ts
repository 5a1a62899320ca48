import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { missingUsers } from '../../../../../src/main/cli/doctor/linux/missing-users.ts';

test.runIf(process.platform === 'linux')(
  'a user is missing if no source of accounts of the system has it',
  async () => {
    expect(await missingUsers(['root', 'no-such-user-1', 'no-such-user-2'], process.env)).toEqual([
      'no-such-user-1',
      'no-such-user-2',
    ]);
    expect(await missingUsers(['root'], process.env)).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')(
  'where users of packages are not in /etc/passwd, as with rpm-ostree, they are found',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-users-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // As getent(1) answers there: by nss-altfiles, from /usr/lib/passwd, and with status 2 since one is missing.
    const getent = path.join(folder, 'getent');
    await writeFile(
      getent,
      `#!/bin/sh\ntest "$*" = 'passwd waymaker-engine other' && echo 'waymaker-engine:x:987:987::/:/sbin/nologin'\nexit 2\n`,
    );
    await chmod(getent, 0o755);
    expect(await missingUsers(['waymaker-engine', 'other'], { PATH: folder })).toEqual(['other']);
    // Without it, the file itself is better than nothing.
    expect(await missingUsers(['root', 'other'], { PATH: '/nowhere' })).toEqual(['other']);
  },
);
