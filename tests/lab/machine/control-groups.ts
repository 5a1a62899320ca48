import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';

/** Laboratories share the machine's control groups, so each uses its own names. */
export const controlGroupOf = ({ namespace }: { namespace: string }): string => `waymaker-${namespace}`;

/** Where control groups of version 2 are mounted. */
export async function unifiedCgroups(): Promise<string> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const found = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];
  if (found === undefined) throw new Error('no cgroups of version 2 are mounted here');
  return found;
}

/** A new group whose processes have at most this many bytes of memory together; resolves with its directory. */
export async function createMemoryGroup(name: string, bytes: number): Promise<string> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const first = /^\S+ (\S+) cgroup \S*\bmemory\b/m.exec(mounts)?.[1];
  const root = first ?? (await unifiedCgroups());
  if (first === undefined) await writeFile(path.join(root, 'cgroup.subtree_control'), '+memory');
  const group = path.join(root, name);
  if (!existsSync(group)) await mkdir(group);
  const limit = first === undefined ? 'memory.max' : 'memory.limit_in_bytes';
  await writeFile(path.join(group, limit), String(bytes));
  return group;
}

/** Removes a group and those inside it; undefined if killed processes have not left it yet. */
export async function removeCgroup(cgroup: string): Promise<true | undefined> {
  try {
    const inside = await readdir(cgroup, { withFileTypes: true });
    for (const entry of inside) if (entry.isDirectory()) await removeCgroup(path.join(cgroup, entry.name));
    await rmdir(cgroup);
    return true;
  } catch (error) {
    return hasErrorCode(error, 'ENOENT') ? true : undefined;
  }
}
