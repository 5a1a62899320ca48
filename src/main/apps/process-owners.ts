import type { MatchProcess } from './match-processes.ts';
import type { Process } from './processes.ts';

/** Which applications the processes of a user belong to, over the lives of those that have started them. */
export interface ProcessOwners {
  /** Brings what is known up to date with the processes that there are now. */
  update(processes: readonly Process[], match: MatchProcess): void;
  /** This process was started for an application, whatever it looks like. */
  startedFor(pid: number, id: string): void;
  /** What a process is, and then what has started it, one after the other. */
  lineage(process: Process): readonly (readonly string[])[];
}

interface Known {
  startTime: string;
  parent: number;
  /** The ids of what it is. */
  own: readonly string[];
  /** What has started it, as it was then: a process whose parent has ended gets another. */
  ancestry: readonly (readonly string[])[];
}

/** As far as anybody looks: whoever forks deeper than that does so for ever. */
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
        // A program that has replaced another is what it is now, unless nobody knows what that is.
        const matched = match(process);
        const own = id !== undefined ? [id] : matched.length > 0 ? matched : isSame ? before.own : [];
        const parent = byPid.get(process.parent);
        const found: Known = {
          startTime: process.startTime,
          parent: isSame ? before.parent : process.parent,
          own,
          ancestry: isSame ? before.ancestry : [],
        };
        // Before its parent, which may claim to be its child if pids are used again.
        next.set(process.pid, found);
        // What its parent is may have become known only now.
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
