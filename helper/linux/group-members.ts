import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../log.ts';
import { NoSuchProcess, type ProcessesMoved, type ProcessMove } from '../system/ports.ts';
import type { ControlGroup } from './control-groups.ts';

/**
 * Looks after who is in a captured group. The kernel lets nobody but root take a process out of it, but systemd does so
 * at the wish of the process's user, into a scope of its own (systemd-run(1), `--user --scope`; Flatpak and snap, too).
 */
export interface GroupMembers {
  /** Who is there now is known from now on. */
  note(group: ControlGroup): void;
  /** Puts back who was known to be there, still runs and was not taken out by us. */
  look(group: ControlGroup): void;
  forget(): void;
}

const maxLogged = 20;

export function createGroupMembers(parts: {
  move: (process: ProcessMove) => Promise<ProcessesMoved>;
  /** Whether a user's process was taken out at their wish, by us. */
  isOutside: (user: string, pid: number) => boolean;
  log: Log;
}): GroupMembers {
  let members: ReadonlySet<number> = new Set();
  let times = 0;

  async function putBack(user: string, pid: number): Promise<void> {
    try {
      if (parts.isOutside(user, pid)) return;
      const { moved, ended } = await parts.move({ user, pid, into: 'group' });
      times += moved > 0 ? 1 : 0;
      // Who does so by a rule does so for ever.
      if (moved > 0 && times <= maxLogged)
        parts.log.warn('others took programs out of their group; they were put back', {
          moved,
          ended,
          times,
        });
    } catch (error) {
      if (!(error instanceof NoSuchProcess)) parts.log.error('a program could not be put back', error);
      // Most have ended. A setuid program may become the user's own again, as snap-confine does.
      if (existsSync(`/proc/${pid}`)) members = new Set([...members, pid]);
    }
  }

  return {
    note({ directory }) {
      members = new Set([...members, ...membersOf(directory)]);
    },
    look({ user, directory }) {
      const now = membersOf(directory);
      const gone = [...members].filter((pid) => !now.has(pid));
      members = now;
      for (const pid of gone) void putBack(user, pid);
    },
    forget() {
      members = new Set();
    },
  };
}

function membersOf(group: string): ReadonlySet<number> {
  try {
    return new Set(
      readFileSync(path.join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
    );
  } catch {
    // It was removed; whoever puts it back will tell.
    return new Set();
  }
}
