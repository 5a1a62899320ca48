import { readFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a killed process may take to end, in milliseconds; one that waits for a device can take for ever. */
const endLimit = 2000;

/**
 * Kills what an earlier helper left running as one of our users, in this network namespace only: for the tunnel,
 * another namespace is another machine. Resolves with their number once they have ended, so that their ports are free.
 */
export async function killProcessesOf(user: number): Promise<number> {
  const ownNamespace = await readlink('/proc/self/ns/net');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const killed = await Promise.all(
    pids.map(async (pid) => {
      try {
        const uid = Number(/^Uid:\t(\d+)/m.exec(statusOf(pid))?.[1]);
        if (uid !== user || (await readlink(`/proc/${pid}/ns/net`)) !== ownNamespace) return false;
        process.kill(Number(pid), 'SIGKILL');
        await untilEnded(pid);
        return true;
      } catch {
        // It has ended meanwhile.
        return false;
      }
    }),
  );
  return killed.filter(Boolean).length;
}

/**
 * Read in one call: `readFile` sets aside 64 KB for each file of /proc, because these have no size, which is tens of MB
 * on a desktop with hundreds of processes. Throws if there is no such process.
 */
const statusOf = (pid: string): string => readFileSync(`/proc/${pid}/status`, 'utf8');

async function untilEnded(pid: string): Promise<void> {
  for (const limit = performance.now() + endLimit; performance.now() < limit; await delay(2)) {
    try {
      const status = statusOf(pid);
      // Its parent has not collected it yet; the last of its threads closes its files (proc_pid_status(5)).
      if (/^State:\tZ/m.test(status) && /^Threads:\t[01]$/m.test(status)) return;
    } catch {
      return;
    }
  }
}
