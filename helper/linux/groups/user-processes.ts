import { readdir, readFile, readlink } from 'node:fs/promises';
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
        // It has ended meanwhile.
        return false;
      }
    }),
  );
  return killed.filter(Boolean).length;
}

async function untilEnded(pid: string): Promise<void> {
  for (const limit = performance.now() + endLimit; performance.now() < limit; await delay(2)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
    // It is gone, or its parent has not collected it yet; the last of its threads closes its files
    // (proc_pid_status(5)).
    if (status === undefined || (/^State:\tZ/m.test(status) && /^Threads:\t[01]$/m.test(status))) return;
  }
}
