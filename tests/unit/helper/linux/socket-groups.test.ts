import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { whatForgetsGroups } from '../../../../helper/linux/groups/socket-groups.ts';

let mount: string;
beforeEach(async () => void (mount = await mkdtemp(path.join(tmpdir(), 'waymaker groups-'))));
afterEach(() => rm(mount, { recursive: true, force: true }));

/** As in /proc/self/mountinfo, in which a blank is `\040` (proc_pid_mountinfo(5)). */
const mounts = (options: string) =>
  [
    '25 30 0:23 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw,nsdelegate',
    `33 30 0:29 / ${mount.replaceAll(' ', '\\040')} rw,nosuid shared:17 - cgroup cgroup rw,${options}`,
    '',
  ].join('\n');

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(mount, file)), { recursive: true });
  await writeFile(path.join(mount, file), text);
}

const found = (release: string, options = 'net_cls,net_prio') =>
  whatForgetsGroups({ release, mountinfo: mounts(options) });

test('before Linux 5.15, a class of packets for some programs makes all sockets forget their groups', async () => {
  await write('net_cls.classid', '0\n');
  await write('mullvad-exclusions/net_cls.classid', '0\n');
  expect(found('5.10.0-28-amd64')).toBeUndefined();
  // As Mullvad’s app does for the programs that are excluded from its tunnel.
  await write('mullvad-exclusions/net_cls.classid', '1297437713\n');
  const culprit = path.join(mount, 'mullvad-exclusions/net_cls.classid');
  for (const release of ['5.10.0-28-amd64', '5.4.0-200-generic', '4.18.0-553.el8_10.x86_64', '5.14.21-lp'])
    expect(found(release), release).toBe(culprit);
  for (const release of ['5.15.0-101-generic', '6.1.0', '10.0.1'])
    expect(found(release), release).toBeUndefined();
});

test('a priority for a group of whatever depth makes sockets forget their groups, too, and no other kind of group', async () => {
  await write('a/b/c/net_prio.ifpriomap', 'lo 0\neth0 0\n');
  expect(found('5.10.0', 'net_prio')).toBeUndefined();
  await write('a/b/c/net_prio.ifpriomap', 'lo 0\neth0 5\n');
  expect(found('5.10.0', 'net_prio')).toBe(path.join(mount, 'a/b/c/net_prio.ifpriomap'));
  expect(found('5.10.0', 'memory')).toBeUndefined();
});

test.runIf(process.platform === 'linux')('this machine’s mounts can be read', () => {
  expect(() => whatForgetsGroups({ release: '5.10.0' })).not.toThrow();
  expect(whatForgetsGroups()).toBeUndefined();
});
