import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** Beyond that, whoever waits learns sooner that it is in vain. */
const maxSlowdown = 25;

/**
 * How many times longer something takes than on an idle machine: how many threads want each processor. The load average
 * (of a minute) tells what is usual, the threads that run right now (proc_loadavg(5)) what has just begun.
 */
export function slowdown(): number {
  const threads = Math.max(loadavg()[0] ?? 0, runningThreads());
  return Math.min(Math.max(threads / availableParallelism(), 1), maxSlowdown);
}

/**
 * How long to wait, in milliseconds, for what takes less than `idleMs` on an idle machine. Whatever has to come is
 * waited for with it, so that a busy machine fails no test; a test that passes never waits for the whole of it.
 */
export function waitLimit(idleMs: number): number {
  return Math.ceil(idleMs * slowdown());
}

function runningThreads(): number {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 0);
  } catch {
    // Another system than Linux.
    return 0;
  }
}
