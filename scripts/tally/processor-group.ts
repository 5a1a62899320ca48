import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A control group whose processes' time on processors is counted, with all that they start, daemons and ended processes
 * included. Tests put processes into groups of version 2 and boot systemd there, so that cpuacct of version 1 is used
 * where it is mounted, which they leave alone. Where neither can be written, nothing is counted.
 */
const places = [
  {
    root: '/sys/fs/cgroup/cpuacct',
    file: 'cpuacct.usage',
    milliseconds: (text: string) => Number(text) / 1e6,
  },
  {
    root: '/sys/fs/cgroup',
    file: 'cpu.stat',
    milliseconds: (text: string) => Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1000,
  },
] as const;

export interface ProcessorGroup {
  readonly directory: string;
  /** Moves a process of this user into it, with all of its threads. */
  add(pid: number): void;
  /** What its processes, and those of the groups inside it, have run so far. */
  milliseconds(): number;
  /** Removes it and those inside it, as far as their processes are gone. */
  remove(): void;
}

/** The group with this name in `parent`, made if it does not exist; undefined where there is nothing to count with. */
export function processorGroup(name: string, parent?: string): ProcessorGroup | undefined {
  const place = places.find(({ root }) => existsSync(path.join(root, 'cgroup.procs')));
  if (place === undefined) return undefined;
  const directory = path.join(parent ?? place.root, name);
  try {
    // Not recursive: that loops for ever where the kernel has no such folder.
    if (!existsSync(directory)) mkdirSync(directory);
    if (!existsSync(path.join(directory, place.file))) return undefined;
  } catch {
    return undefined;
  }
  return {
    directory,
    add: (pid) => writeFileSync(path.join(directory, 'cgroup.procs'), String(pid)),
    milliseconds: () => place.milliseconds(readFileSync(path.join(directory, place.file), 'utf8')),
    remove: () => removeTree(directory),
  };
}

function removeTree(directory: string): void {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true }))
      if (entry.isDirectory()) removeTree(path.join(directory, entry.name));
    rmdirSync(directory);
  } catch {
    // Its last processes are still ending, and the machine's next start removes it.
  }
}
