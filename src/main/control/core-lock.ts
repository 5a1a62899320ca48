import { once } from 'node:events';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import koffi from 'koffi';

/** That this process alone has the core. The kernel ends it with the process, however that ends. */
export interface CoreLock {
  /** Whether others find it: logind takes a user's folder away when they log out, and makes another at the next login. */
  isInPlace(): boolean;
  release(): void;
}

/** flock(2): LOCK_EX | LOCK_NB, the same on Linux and macOS. */
const exclusiveWithoutWaiting = 2 | 4;

/** Undefined if another process has it. */
export async function takeCoreLock(
  lockPath: string,
  platform: NodeJS.Platform,
): Promise<CoreLock | undefined> {
  return platform === 'win32' ? await listenOnPipe(lockPath) : lockFile(lockPath);
}

/** Who has the lock, for those who wait in vain; undefined if nobody can be named. */
export function lockHolder(lockPath: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockPath, 'utf8'));
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function lockFile(file: string): CoreLock | undefined {
  const flock = koffi.load(null).func('int flock(int, int)') as (fd: number, operation: number) => number;
  // Without `w`: to truncate it would take away the name of who has it.
  const descriptor = openSync(file, 'a+', 0o600);
  if (flock(descriptor, exclusiveWithoutWaiting) !== 0) {
    closeSync(descriptor);
    return undefined;
  }
  ftruncateSync(descriptor);
  writeSync(descriptor, String(process.pid));
  return {
    isInPlace() {
      const there = statSync(file, { throwIfNoEntry: false });
      const own = fstatSync(descriptor);
      return there?.ino === own.ino && there.dev === own.dev;
    },
    release() {
      // Not removed: whoever has just opened it would lock a file that nobody else finds.
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
