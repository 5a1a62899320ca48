import type { MatchProcess, Process } from './processes.ts';

/** The programs of a user's processes, even after the processes that started them have ended. */
export interface ProcessOwners {
  /** Updates what is known to the current processes. */
  update(processes: readonly Process[], match: MatchProcess): void;
  /** This process was started for a program, whatever it looks like. */
  startedFor(pid: number, id: string): void;
  /** The programs of a process, then those of its parent, and so on. */
  lineage(process: Process): readonly (readonly string[])[];
}

interface Known {
  startTime: string;
  parent: number;
  /** The ids of its own programs. */
  own: readonly string[];
  /** The programs of its ancestors, recorded early: a process gets a new parent when its parent ends. */
  ancestry: readonly (readonly string[])[];
}

/** A limit for processes that keep forking deeper. */
const maxLineage = 32;

export function createProcessOwners(): ProcessOwners {
  let known = new Map<number, Known>();
  const started = new Map<number, string>();

  return {
    update(processes, match) {
      const byPid = new Map(processes.map((process) => [process.pid, process]));
      const next = new Map<number, Known>();
      const learn = (process: Process, depth: number): Known => {
        const done = next.get(process.pid);
        if (done) return done;
        const before = known.get(process.pid);
        const isSame = before?.startTime === process.startTime;
        const id = started.get(process.pid);
        // A process that runs another executable now belongs to the program of that one, unless it is unknown.
        const matched = match(process);
        const own = id !== undefined ? [id] : matched.length > 0 ? matched : isSame ? before.own : [];
        const parent = byPid.get(process.parent);
        const found: Known = {
          startTime: process.startTime,
          parent: isSame ? before.parent : process.parent,
          own,
          ancestry: isSame ? before.ancestry : [],
        };
        // Before its parent is looked up: if pids are reused, that could be its own descendant.
        next.set(process.pid, found);
        // Its parent's program may have become known only now.
        if (parent && found.parent === process.parent && depth < maxLineage) {
          const above = learn(parent, depth + 1);
          found.ancestry = [above.own, ...above.ancestry]
            .filter((ids) => ids.length > 0)
            .slice(0, maxLineage);
        }
        return found;
      };
      for (const process of processes) learn(process, 0);
      for (const pid of started.keys()) if (!next.has(pid)) started.delete(pid);
      known = next;
    },
    startedFor: (pid, id) => void started.set(pid, id),
    lineage(process) {
      const found = known.get(process.pid);
      if (!found) return [];
      return found.own.length > 0 ? [found.own, ...found.ancestry] : found.ancestry;
    },
  };
}
