import { once } from 'node:events';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { lockNow } from './posix/flock.ts';

/** Proof that only this process runs the core. The kernel releases it when the process ends, in any case. */
export interface CoreLock {
  /**
   * Whether others can find it: logind removes a user's folder at logout, and creates another one at the next login.
   */
  isInPlace(): boolean;
  release(): void;
}

/** Undefined if another process has it. */
export async function takeCoreLock(
  lockPath: string,
  platform: NodeJS.Platform,
): Promise<CoreLock | undefined> {
  return platform === 'win32' ? await listenOnPipe(lockPath) : lockFile(lockPath);
}

/**
 * The process that has the lock; undefined if it is not known, or nobody has it. One that was killed leaves its number
 * there, which may be another program's by now.
 */
export function lockHolder(lockPath: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockPath, 'utf8'));
    return Number.isInteger(pid) && pid > 1 && isLocked(lockPath) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isLocked(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    return !lockNow(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function lockFile(file: string): CoreLock | undefined {
  // Not `w`: truncating would delete the pid of the process that has the lock.
  const descriptor = openSync(file, 'a+', 0o600);
  let isOurs = false;
  try {
    isOurs = lockNow(descriptor);
  } finally {
    if (!isOurs) closeSync(descriptor);
  }
  if (!isOurs) return undefined;
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, String(process.pid));
  } catch {
    // On a full disk nobody is told who has it.
  }
  return {
    isInPlace() {
      const there = statSync(file, { throwIfNoEntry: false });
      const own = fstatSync(descriptor);
      return there?.ino === own.ino && there.dev === own.dev;
    },
    release() {
      // Not removed: a process that has just opened it would lock a file that nobody else can find.
      ftruncateSync(descriptor);
      closeSync(descriptor);
    },
  };
}

async function listenOnPipe(pipe: string): Promise<CoreLock | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(pipe);
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  server.unref();
  return { isInPlace: () => server.listening, release: () => void server.close() };
}
