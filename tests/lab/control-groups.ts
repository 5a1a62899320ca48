import { readdir, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';

/** Laboratories share the machine's control groups, so each uses its own names. */
export const controlGroupOf = ({ namespace }: { namespace: string }): string => `waymaker-${namespace}`;

/** Where control groups of version 2 are mounted. */
export async function unifiedCgroups(): Promise<string> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const found = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];
  if (found === undefined) throw new Error('no cgroups of version 2 are mounted here');
  return found;
}

/** Removes a group and those inside it; undefined if killed processes have not left it yet. */
export async function removeCgroup(cgroup: string): Promise<true | undefined> {
  try {
    const inside = await readdir(cgroup, { withFileTypes: true });
    for (const entry of inside) if (entry.isDirectory()) await removeCgroup(path.join(cgroup, entry.name));
    await rmdir(cgroup);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? true : undefined;
  }
}
