import { readFileSync } from 'node:fs';

/**
 * Whether process ids mean the same processes to another process as here. One in a child PID namespace has another
 * number there (proc_pid_status(5), NSpid), and one in an unrelated namespace has no number here.
 */
export function sharesProcessIds(pid: number): boolean {
  try {
    return !/^NSpid:\t\d+\t/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
