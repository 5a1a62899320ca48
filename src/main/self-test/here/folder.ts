import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';
import { servedPorts } from '../far-side/questions.ts';
import type { SelfTestHere } from '../self-test.ts';
import { guardTask, type GuardTask } from './guard.ts';

const undoFile = 'undo.json';

/** What the self-test whose folder this is has not undone; undefined if there is none. Throws if it cannot be read. */
export function leftTask(folder: string): GuardTask | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(folder, undoFile), 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  return guardTask.parse(JSON.parse(text));
}

/** Makes the folder anew, with what is to be undone, before anything is changed. */
export function prepareFolder(folder: string, authority: string, task: GuardTask): void {
  rmSync(folder, { recursive: true, force: true });
  // The engine's user passes it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  for (const name of ['profile', 'tmp', 'home']) mkdirSync(path.join(folder, name), { mode: 0o700 });
  writeFileSync(path.join(folder, 'authority.pem'), authority, { mode: 0o644 });
  writeFileSync(path.join(folder, undoFile), JSON.stringify(task), { mode: 0o600 });
}

/** Nothing of the person's own session: no bus, no keychain, no proxy, and folders that are ours. */
export function environment(here: SelfTestHere, folder: string, peer: string): NodeJS.ProcessEnv {
  const kept = here.environment.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    ...Object.fromEntries(kept),
    HOME: path.join(folder, 'home'),
    TMPDIR: path.join(folder, 'tmp'),
    WAYMAKER_USER_DATA: path.join(folder, 'profile'),
    WAYMAKER_API_URL: `https://${peer.includes(':') ? `[${peer}]` : peer}:${servedPorts.service}`,
    WAYMAKER_HELPER_SOCKET: here.helperSocket(folder),
    NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem'),
    ...(process.env['NODE_COMPILE_CACHE'] !== undefined && {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    }),
  };
}
