import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import type { CoreLock } from '../core-lock.ts';
import { lockNow } from './flock.ts';

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

/** Undefined if another process has it. */
export function lockFile(file: string): CoreLock | undefined {
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
