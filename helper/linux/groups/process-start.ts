import { readFileSync } from 'node:fs';

/** Fields of /proc/PID/stat after the program's name, which can contain anything (proc_pid_stat(5)). */
const startTimeField = 19;

/** When a process started, in kernel ticks since boot; undefined if there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startTimeField];
  } catch {
    return undefined;
  }
}
