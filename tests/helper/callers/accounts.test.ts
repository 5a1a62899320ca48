import path from 'node:path';
import { expect, test } from 'vitest';
import { run, words } from '../../lab/runs/process.ts';

/** Where the helper finds the accounts of its engine and its proxy, and the group of those who may call it. */

const accounts = path.resolve(import.meta.dirname, '../../../helper/linux/callers/accounts.ts');

/** Run with files of its own in /etc: what is found with each order of sources, and without getent(1). */
const script = `
  const { createAccounts, findGroup } = await import('${accounts}');
  const { execFileSync } = await import('node:child_process');
  const { appendFileSync, mkdirSync, writeFileSync } = await import('node:fs');
  appendFileSync('/etc/passwd', 'way-engine:x:64910:64911::/:/bin/false\\nway-proxy:x:::::/bin/false\\n');
  appendFileSync('/etc/group', 'way-callers:x:64912:daemon,nobody\\n');
  mkdirSync('/etc/userdb', { recursive: true });
  for (const [userName, uid] of [['way-engine', 64920], ['way-proxy', 64930]])
    writeFileSync('/etc/userdb/' + userName + '.user', JSON.stringify({ userName, uid, gid: uid + 1 }));
  async function found(sources) {
    writeFileSync('/etc/nsswitch.conf', 'passwd: ' + sources + '\\ngroup: ' + sources + '\\n');
    const { engine, proxy } = createAccounts({ engine: 'way-engine', proxy: 'way-proxy' });
    return { engine: await engine(), proxy: await proxy(), callers: await findGroup('way-callers') };
  }
  const filesFirst = await found('files systemd');
  const filesLast = await found('systemd files');
  execFileSync('mount', ['--bind', '/bin/false', '/usr/bin/getent']);
  console.log(JSON.stringify({ filesFirst, filesLast, withoutGetent: await found('files systemd') }));
`;

test('accounts are taken from the first source that knows them, and from the system’s files without a program', async () => {
  const copy = 'mount -t tmpfs tmpfs /mnt && cp -a /etc /mnt/etc && mount --bind /mnt/etc /etc';
  const inside = words('unshare --mount --propagation private sh -c');
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const shown = await run([...inside, `${copy} && exec "$@"`, 'sh', ...node]);
  const engine = { uid: 64_910, gid: 64_911 };
  // Its line in the file has no numbers, so it counts for nothing.
  const proxy = { uid: 64_930, gid: 64_931 };
  expect(JSON.parse(shown)).toEqual({
    filesFirst: { engine, proxy, callers: 64_912 },
    filesLast: { engine: { uid: 64_920, gid: 64_921 }, proxy, callers: 64_912 },
    withoutGetent: { engine, callers: 64_912 },
  });
});
