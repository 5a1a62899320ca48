import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcesses } from '../../../../../src/main/programs/linux/processes.ts';
import { startWaiting } from '../../../../../src/main/programs/linux/start-program.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-start-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const { PATH } = process.env;
const surroundings = (env: NodeJS.ProcessEnv = {}) => ({ env: { PATH, ...env }, directory });

test('a process is told of by its program, its arguments, its parent and its control group', async () => {
  const own = createProcesses().reread(process.pid);
  expect(own).toMatchObject({
    pid: process.pid,
    parent: process.ppid,
    exe: await realpath(process.execPath),
    sandbox: undefined,
  });
  expect(own?.args.length).toBeGreaterThan(1);
  expect(await readFile('/proc/self/cgroup', 'utf8')).toContain(`0::${own?.group}\n`);
  expect(createProcesses().read()).toContainEqual(own);
  expect(createProcesses({ uid: 4_000_000_000 }).read()).toEqual([]);
  expect(createProcesses().reread(0x3f_ff_ff_ff)).toBeUndefined();
});

test('a program runs in the process that has waited for it, with its arguments as they are, and in its folder', async () => {
  const args = ['a b', '$(touch never)', '; touch never', '-n', ''];
  const script =
    'printf "%s\\n" "$$" "$PWD" "$KEPT" "$CHROME_DESKTOP" "$@" >out.new; mv out.new out; exec sleep 60';
  const env = { KEPT: 'kept', CHROME_DESKTOP: 'waymaker.desktop', ELECTRON_RUN_AS_NODE: '1' };
  const waiting = await startWaiting(['sh', '-c', script, 'sh', ...args], surroundings(env));
  const pid = waiting?.pid ?? 0;
  try {
    await expect(readFile(path.join(directory, 'out'))).rejects.toThrow('ENOENT');
    expect(createProcesses().reread(pid)?.args.slice(0, 2)).toEqual(['/bin/sh', '-c']);
    expect(await waiting?.go()).toBe(true);
    await expect.poll(() => readFile(path.join(directory, 'out'), 'utf8').catch(() => '')).not.toBe('');
    const lines = (await readFile(path.join(directory, 'out'), 'utf8')).split('\n');
    expect(lines).toEqual([`${pid}`, await realpath(directory), 'kept', '', ...args, '']);
    await expect.poll(() => createProcesses().reread(pid)?.args).toEqual(['sleep', '60']);
  } finally {
    waiting?.cancel();
  }
});

test('a program that cannot be run is said to be so, and one that is called off never runs', async () => {
  // Of many at once some have ended before this process is told so.
  const missing = path.join(directory, 'missing');
  const run = async () => await (await startWaiting([missing], surroundings()))?.go();
  expect(new Set(await Promise.all(Array.from({ length: 20 }, run)))).toEqual(new Set([false]));
  const called = await startWaiting(['touch', path.join(directory, 'never')], surroundings());
  called?.cancel();
  await expect.poll(() => createProcesses().reread(called?.pid ?? 0)?.args ?? []).toEqual([]);
  await expect(readFile(path.join(directory, 'never'))).rejects.toThrow('ENOENT');
  expect(
    await startWaiting(['true'], { env: {}, directory: path.join(directory, 'nowhere') }),
  ).toBeUndefined();
});
