import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcesses } from '../../../../../src/main/programs/linux/processes.ts';

/** A directory that looks like /proc. */
let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'waymaker-processes-'));
});
afterEach(() => rm(root, { recursive: true }));

async function write(pid: number, exe: string): Promise<void> {
  const directory = path.join(root, String(pid));
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'stat'), `${pid} (one) S 1 ${'0 '.repeat(17)}77 0`);
  await writeFile(path.join(directory, 'cmdline'), `${exe}\0`);
  await writeFile(path.join(directory, 'cgroup'), '0::/session\n');
  await symlink(exe, path.join(directory, 'exe'));
}

test('what nobody may look at is found once it can be looked at, however old it is by then', async () => {
  const processes = createProcesses({ root });
  await write(10, '/bin/one');
  // As /proc has a program with more rights, such as snap-confine before it becomes the snap's.
  await mkdir(path.join(root, '11'));
  const pids = () => processes.read().map(({ pid }) => pid);
  for (let read = 0; read < 20; read += 1) expect(pids()).toEqual([10]);
  await write(11, '/bin/other');
  const found = Array.from({ length: 10 }, pids).at(-1);
  expect(found).toEqual([10, 11]);
});
