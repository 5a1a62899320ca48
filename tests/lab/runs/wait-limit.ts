import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** Beyond that, whoever waits learns sooner that it is in vain. */
const maxSlowdown = 25;

/**
 * What is waited for is given at least so many times longer: whether a processor is slower than usual, or is lent to
 * others beside this machine, no number here tells.
 */
const minWaitFactor = 4;

/**
 * How many times longer something takes than on an idle machine: how many threads want each processor. The load average
 * (of a minute) tells what is usual, the threads that run right now (proc_loadavg(5)) what has just begun.
 */
function slowdown(): number {
  const threads = Math.max(loadavg()[0] ?? 0, runningThreads());
  return Math.min(Math.max(threads / availableParallelism(), 1), maxSlowdown);
}

/** How many times longer whoever waits for what has to come does so than on an idle machine. */
export function waitFactor(): number {
  return Math.max(slowdown(), minWaitFactor);
}

/**
 * How long to wait, in milliseconds, for what takes less than `idleMs` on an idle machine. Whatever has to come is
 * waited for with it, so that neither a busy nor a slow machine fails a test; a test that passes never waits for the
 * whole of it.
 */
export function waitLimit(idleMs: number): number {
  return Math.ceil(idleMs * waitFactor());
}

/**
 * For how long nobody has to answer, in milliseconds, until it counts as silence: `idleMs` on an idle machine, and
 * never more than `maxMs`. Tests in which nobody may answer wait for all of it.
 */
export function silenceLimit(idleMs: number, maxMs: number): number {
  return Math.ceil(Math.min(idleMs * slowdown(), maxMs));
}

function runningThreads(): number {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 0);
  } catch {
    // Another system than Linux.
    return 0;
  }
}
