import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.ts';
import { takeSnapshot } from './snapshot.ts';

/**
 * More of a machine than its snapshot has: all kernel parameters of its network, its mounts, and its own files in /etc.
 * What it has learned of its neighbours and of paths is forgotten first.
 */
export async function fingerprint(machine: Machine, directory: string): Promise<string> {
  const network = await takeSnapshot(machine, {
    first: ['neigh flush all', 'route flush cache'],
    parameters:
      '{ grep -rs "" ipv4/conf ipv6/conf; grep -s -d skip "" ipv4/ip_* ipv4/icmp_* ipv4/fib_* ipv6/*; } || true',
  });
  const mounts = (await readFile(`/proc/${machine.pid}/mountinfo`, 'utf8'))
    .split('\n')
    // Other laboratories come and go.
    .filter((line) => !line.includes('/netns/'));
  return [network, ...mounts, ...(await ownFiles(machine, directory))].join('\n');
}

/** What was written to /etc (boot of the machine included), as names with sizes and times. */
async function ownFiles(machine: Machine, directory: string): Promise<string[]> {
  const upper = `/proc/${machine.pid}/root${directory}/${machine.namespace}-etc/upper`;
  const names = (await readdir(upper, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mode, mtimeMs } = await lstat(path.join(upper, name));
      return `${name} ${size} ${mode} ${mtimeMs}`;
    }),
  );
}
