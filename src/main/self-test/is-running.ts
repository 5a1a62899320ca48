import { hasErrorCode } from '#node/os/error-code.ts';

/** Whether there is a process with this number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's.
    return hasErrorCode(error, 'EPERM');
  }
}
