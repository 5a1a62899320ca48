import { readFileSync } from 'node:fs';

/** Fields of /proc/PID/stat behind the program's name, which may have anything in it (proc_pid_stat(5)). */
const startTimeField = 19;

/** When a process started, in the kernel's ticks since the machine did; undefined if there is none of that number. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startTimeField];
  } catch {
    return undefined;
  }
}
