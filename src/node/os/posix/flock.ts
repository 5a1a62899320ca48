import koffi from 'koffi';

/** <sys/file.h>, the same on Linux and macOS. */
const LOCK_EX = 2;
const LOCK_NB = 4;
/** <errno.h>. */
const EWOULDBLOCK = process.platform === 'darwin' ? 35 : 11;

let flock: ((descriptor: number, operation: number) => number) | undefined;

/**
 * Locks an open file or directory until its descriptor is closed, which the end of the process does, in any case
 * (flock(2)). False if another process has it; throws if it cannot be locked.
 */
export function lockNow(descriptor: number): boolean {
  flock ??= koffi.load(null).func('int flock(int, int)') as NonNullable<typeof flock>;
  if (flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = koffi.errno();
  if (errno === EWOULDBLOCK) return false;
  throw new Error(`flock failed with errno ${errno}`);
}
