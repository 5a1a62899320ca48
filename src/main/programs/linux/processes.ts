import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Process, Processes } from '../processes.ts';

/** A new process still has the program of its parent until it runs its own, which nearly all do at once. */
const youngReads = 3;
/** How many reads pass before it is checked whether a process runs another program now. */
const readsBetween = 10;
/** The same for whether a process of another user belongs to ours now: snap-confine and sudo give up root's rights. */
const readsBetweenLooks = 3;
/** Command lines are cut at this length; what follows does not help to distinguish programs. */
const maxArgBytes = 4096;

/**
 * The user's processes, as /proc describes them (proc(5)); their group is the control group (cgroups(7), version 2).
 * Uses blocking reads: the kernel answers from memory within microseconds, whereas each of thousands of asynchronous
 * reads would wait for a thread.
 */
export function createProcesses({ root = '/proc', uid = process.getuid?.() ?? -1 } = {}): Processes {
  let known = new Map<number, { process: Process | undefined; reads: number }>();

  function read(pid: number): Process | undefined {
    const directory = path.join(root, String(pid));
    try {
      if (statSync(directory).uid !== uid) return undefined;
      const stat = readStart(path.join(directory, 'stat'), 1024);
      // The name in parentheses is chosen by the process, and may contain parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const args = readStart(path.join(directory, 'cmdline'), maxArgBytes).split('\0');
      return {
        pid,
        parent: Number(fields[1]),
        startTime: fields[19] ?? '',
        exe: exeOf(directory),
        args: args.at(-1) === '' ? args.slice(0, -1) : args,
        group: /^0::(.*)$/m.exec(readStart(path.join(directory, 'cgroup'), 4096))?.[1] ?? '',
        sandbox: flatpakOf(directory),
      };
    } catch {
      return undefined;
    }
  }

  function isSame(one: Process, reads: number): boolean {
    if ((reads + one.pid) % readsBetween !== 0) return true;
    return exeOf(path.join(root, String(one.pid))) === one.exe;
  }

  return {
    read() {
      const pids = readdirSync(root)
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
      const next: typeof known = new Map();
      for (const pid of pids) {
        const before = known.get(pid);
        const reads = (before?.reads ?? 0) + 1;
        const isKnown =
          before &&
          reads > youngReads &&
          (before.process ? isSame(before.process, reads) : (reads + pid) % readsBetweenLooks !== 0);
        next.set(pid, { process: isKnown ? before.process : read(pid), reads });
      }
      known = next;
      return [...known.values()].flatMap(({ process: one }) => one ?? []);
    },
    reread(pid) {
      const found = read(pid);
      if (found) known.set(pid, { process: found, reads: known.get(pid)?.reads ?? 1 });
      else known.delete(pid);
      return found;
    },
  };
}

/** A program that was replaced by an update is still the same program. */
function exeOf(directory: string): string {
  try {
    return readlinkSync(path.join(directory, 'exe')).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}

/** Flatpak puts this file into each of its sandboxes (flatpak-run(1)). */
function flatpakOf(directory: string): string | undefined {
  try {
    const text = readStart(path.join(directory, 'root/.flatpak-info'), 4096);
    return /^\[Application\]\n(?:[^[\n]*\n)*?name=(.+)$/m.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

function readStart(file: string, bytes: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}
