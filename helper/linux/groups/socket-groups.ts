import { readdirSync, readFileSync } from 'node:fs';
import { release as releaseOfKernel } from 'node:os';
import path from 'node:path';

/** Deeper groups than anybody makes of this kind. */
const maxDepth = 8;

/** The kinds of groups, each with its file and what that has where nothing is set. */
const kinds = [
  { kind: 'net_cls', file: 'net_cls.classid', isUnset: (text: string) => Number(text) === 0 },
  {
    kind: 'net_prio',
    file: 'net_prio.ifpriomap',
    isUnset: (text: string) => text.split('\n').every((line) => /^(?:\S+ 0)?$/.test(line.trim())),
  },
];

/**
 * Before Linux 5.15, a socket has room either for its group of version 2, or for the class and priority of those of
 * version 1: once any program of the machine has been given one of these, the kernel runs no programs for groups of
 * version 2 any more, until it is started anew (kernel/cgroup/cgroup.c, cgroup_sk_alloc_disable; 8520e224f547, "bpf,
 * cgroups: Fix cgroup v2 fallback on v1/v2 mixed mode"). Some earlier kernels have been mended later, which nothing
 * tells: they count as the others. Returns the file in which that is; undefined if there is none, so far as it can still
 * be seen.
 */
export function whatForgetsGroups({
  release = releaseOfKernel(),
  mountinfo,
}: { release?: string; mountinfo?: string } = {}): string | undefined {
  if (!isBefore515(release)) return undefined;
  for (const { directory, options } of versionOneMounts(mountinfo ?? read('/proc/self/mountinfo') ?? ''))
    for (const { kind, file, isUnset } of kinds) {
      const found = options.includes(kind) ? findSet(directory, file, isUnset, maxDepth) : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}

function isBefore515(release: string): boolean {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return major < 5 || (major === 5 && minor < 15);
}

/** Where groups of version 1 are mounted, and for what. */
const versionOneMounts = (mountinfo: string) =>
  mountinfo
    .split('\n')
    .filter((line) => line.includes(' - cgroup '))
    .map((line) => ({
      directory: (line.split(' ')[4] ?? '').replaceAll('\\040', ' '),
      options: line.split(' ').at(-1)?.split(',') ?? [],
    }));

function findSet(
  directory: string,
  file: string,
  isUnset: (text: string) => boolean,
  depth: number,
): string | undefined {
  const own = path.join(directory, file);
  const text = read(own);
  if (text !== undefined && !isUnset(text)) return own;
  if (depth === 0) return undefined;
  for (const name of foldersIn(directory)) {
    const found = findSet(path.join(directory, name), file, isUnset, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function foldersIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
