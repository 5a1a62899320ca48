import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listenAtPath } from '../../../../helper/posix/listen-at-path.ts';
import type { Caller } from '../../../../helper/system/ports/caller-identity-port.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const caller: Caller = {
  user: '1000',
  isAdministrator: false,
  isAllowed: true,
  pid: 7,
  sharesProcessIds: true,
};

async function listenIn(folder: string) {
  const socketPath = path.join(folder, 'run/helper.sock');
  const problems: string[] = [];
  const protect = vi.fn();
  const listening = await listenAtPath(
    socketPath,
    { onCaller: (socket) => socket.end('hello'), onProblem: (what) => problems.push(what) },
    { identify: () => caller, protect },
  );
  return { socketPath, problems, protect, listening };
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function greeting(socketPath: string): Promise<string> {
  const socket = connect(socketPath);
  const [text] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return text.toString();
}

test('a socket whose folder was removed is made again, as protected, and for everybody who may use it', async () => {
  const folder = createFolder();
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  const { socketPath, problems, protect, listening } = await listenIn(folder);
  expect(await greeting(socketPath)).toBe('hello');
  const open = connect(socketPath);
  await once(open, 'connect');
  rmSync(path.dirname(socketPath), { recursive: true });
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(existsSync(socketPath)).toBe(true));
  expect(await greeting(socketPath)).toBe('hello');
  expect(protect.mock.calls).toEqual([[socketPath], [socketPath]]);
  expect(statSync(path.dirname(socketPath)).mode & 0o777).toBe(0o755);
  expect(problems).toEqual(['the socket was removed, and is made again']);
  open.destroy();
  await listening.close();
  expect(existsSync(socketPath)).toBe(false);
});

test('where it cannot be made again, that is told once, and tried until it succeeds', async () => {
  const folder = createFolder();
  const { socketPath, problems, listening } = await listenIn(folder);
  rmSync(path.dirname(socketPath), { recursive: true });
  writeFileSync(path.dirname(socketPath), 'a file in the place of the folder');
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(problems).toHaveLength(2));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(problems).toHaveLength(2);
  rmSync(path.dirname(socketPath));
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(existsSync(socketPath)).toBe(true));
  expect(await greeting(socketPath)).toBe('hello');
  await listening.close();
});

test('what somebody has put in its place stays', async () => {
  const folder = createFolder();
  const { socketPath, problems, listening } = await listenIn(folder);
  rmSync(socketPath);
  writeFileSync(socketPath, 'theirs');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(statSync(socketPath).isFile()).toBe(true);
  expect(problems).toEqual([]);
  await listening.close();
});

test('what is above its folder is not made again', async () => {
  const folder = createFolder();
  const below = path.join(folder, 'below');
  mkdirSync(below);
  const { socketPath, problems, listening } = await listenIn(below);
  rmSync(below, { recursive: true });
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(problems).toHaveLength(2));
  expect(existsSync(socketPath)).toBe(false);
  expect(existsSync(below)).toBe(false);
  await listening.close();
});
