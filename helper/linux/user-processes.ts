import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * Kills what an earlier helper left running as a user of ours, in this network namespace only: another one is
 * another machine's as far as the tunnel goes. Resolves to how many there were.
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
        return true;
      } catch {
        // It ended meanwhile.
        return false;
      }
    }),
  );
  return killed.filter(Boolean).length;
}
