import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a killed process may take to end, in milliseconds; one that waits for a device can take for ever. */
const endLimit = 2000;

/**
 * Kills what an earlier helper left running as a user of ours, in this network namespace only: another one is
 * another machine's as far as the tunnel goes. Resolves to how many there were, when they have ended: what they listened
 * on is free then.
 */
export async function killProcessesOf(user: number): Promise<number> {
  const ownNamespace = await readlink('/proc/self/ns/net');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const killed = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [status, namespace] = await Promise.all([
          readFile(`/proc/${pid}/status`, 'utf8'),
          readlink(`/proc/${pid}/ns/net`),
        ]);
        const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
        if (uid !== user || namespace !== ownNamespace) return false;
        process.kill(Number(pid), 'SIGKILL');
        await untilEnded(pid);
        return true;
      } catch {
        // It ended meanwhile.
        return false;
      }
    }),
  );
  return killed.filter(Boolean).length;
}

async function untilEnded(pid: string): Promise<void> {
  for (const limit = performance.now() + endLimit; performance.now() < limit; await delay(2)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
    // Gone, or its parent is still to take note of it; the last of its threads closes its files (proc_pid_status(5)).
    if (status === undefined || (/^State:\tZ/m.test(status) && /^Threads:\t[01]$/m.test(status))) return;
  }
}
