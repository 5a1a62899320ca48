import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProgramChoice } from '#shared/host/routed-programs.ts';
import type { MoveProcess } from '../../../../src/main/programs/program-group.ts';
import { createRoutedPrograms } from '../../../../src/main/programs/routed-programs.ts';
import { createTestLog } from '../support/log.ts';

const id = 'sleeper.desktop';
let directory = '';
const at = (name: string) => path.join(directory, name);
const pids: number[] = [];

async function install(name: string, exec: string, more = ''): Promise<void> {
  await mkdir(at('data/applications'), { recursive: true });
  const entry = `[Desktop Entry]\nType=Application\nName=${name}\nExec=${exec}\n${more}`;
  await writeFile(at(`data/applications/${name}.desktop`), entry);
}

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-routed-'));
  await writeFile(at('sleeper'), `#!/bin/sh\necho $$ >>'${at('runs')}'\nread -r _ <'${at('pipe')}'\n`);
  await chmod(at('sleeper'), 0o755);
  await writeFile(at('pipe'), '');
  await install('sleeper', at('sleeper'));
  await install('this-app', process.execPath);
  await install('for-a-terminal', '/bin/sh', 'Terminal=true\n');
});
afterEach(async () => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await rm(directory, { recursive: true, force: true });
});

/** Everything but the helper is there: who is moved stays where it is. */
function start(ids: string[], answer: MoveProcess = () => Promise.resolve({ moved: 1 })) {
  const moves: { pid: number; into: string; hadRun: boolean }[] = [];
  const { log, text } = createTestLog();
  let choice: ProgramChoice | undefined = { policy: 'include', ids };
  const { PATH } = process.env;
  const routed = createRoutedPrograms({
    surroundings: () => ({
      env: { PATH, XDG_DATA_HOME: at('data'), XDG_DATA_DIRS: at('none') },
      home: directory,
      locales: ['en'],
    }),
    ownProgram: process.execPath,
    choice: () => choice,
    move(pid, into) {
      pids.push(pid);
      moves.push({ pid, into, hadRun: existsSync(at('runs')) });
      return answer(pid, into);
    },
    log,
  });
  return { ...routed, moves, log: text, choose: (next: ProgramChoice | undefined) => (choice = next) };
}

const runs = async () =>
  (await readFile(at('runs'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

test('what is listed can be started, but for this app itself and what needs a terminal', async () => {
  const { host } = start([]);
  expect(await host.list(undefined)).toEqual([
    { id: 'for-a-terminal.desktop', name: 'for-a-terminal', icon: '', isStartable: false },
    { id, name: 'sleeper', icon: '', isStartable: true },
  ]);
});

test('only what is chosen is started, and only while traffic is routed by application', async () => {
  const { host, moves, choose } = start(['other.desktop', 'for-a-terminal.desktop']);
  expect(await host.start({ id })).toBe('not-routed');
  expect(await host.restart({ id })).toBe('not-routed');
  expect(await host.start({ id: 'other.desktop' })).toBe('failed');
  expect(await host.start({ id: 'for-a-terminal.desktop' })).toBe('failed');
  choose(undefined);
  expect(await host.start({ id: 'other.desktop' })).toBe('not-routed');
  expect(moves).toEqual([]);
});

test('a program is in the group before it runs, in the process that was moved', async () => {
  await rm(at('pipe'));
  const { host, moves } = start([id]);
  expect(await host.start({ id })).toBe('started');
  await expect.poll(runs).toEqual([moves[0]?.pid]);
  expect(moves).toEqual([{ pid: moves[0]?.pid, into: 'group', hadRun: false }]);
});

test.each<[string, MoveProcess]>([
  ['does not find', () => Promise.resolve('gone')],
  ['refuses to move', () => Promise.reject(new Error('refused'))],
])('what the helper %s is not run at all', async (_, answer) => {
  const { host, moves } = start([id], answer);
  expect(await host.start({ id })).toBe('failed');
  await expect.poll(() => existsSync(`/proc/${moves[0]?.pid}/exe`)).toBe(false);
  expect(await runs()).toEqual([]);
});

test('a program that is started once more is asked to end first', async () => {
  await rm(at('pipe'));
  execFileSync('mkfifo', [at('pipe')]);
  const { host } = start([id]);
  expect(await host.start({ id })).toBe('started');
  await expect.poll(runs).toHaveLength(1);
  const [first] = await runs();
  expect(await host.running(undefined)).toEqual([{ id, isPartial: false }]);
  expect(await host.restart({ id })).toBe('started');
  await expect.poll(runs).toHaveLength(2);
  await expect.poll(() => existsSync(`/proc/${first}/exe`)).toBe(false);
});

test('a change fails with the helper, and what that refuses later is logged', async () => {
  await rm(at('pipe'));
  execFileSync('mkfifo', [at('pipe')]);
  let isRefused = false;
  const routed = start([id], () =>
    isRefused ? Promise.reject(new Error('refused')) : Promise.resolve({ moved: 1 }),
  );
  await routed.host.start({ id });
  await expect.poll(runs).toHaveLength(1);
  await expect(routed.apply()).resolves.toBeUndefined();
  isRefused = true;
  await expect(routed.apply()).rejects.toThrow('refused');
  const gateway = { host: 'gateway.example', port: 443 };
  routed.follow({ state: 'connecting', gateway, attempt: 1, phase: 'handshaking' });
  await expect.poll(() => routed.log()).toContain('programs cannot be kept in their group');
  routed.close();
});
