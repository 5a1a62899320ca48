import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../../log.ts';
import {
  NoSuchProcess,
  type ProcessesMoved,
  type ProcessMove,
} from '../../system/ports/program-groups-port.ts';
import type { ControlGroup } from './control-groups.ts';
import { startTimeOf } from './process-start.ts';

/**
 * Watches the members of a captured group. The kernel lets only root take a process out of it, but systemd moves
 * processes into scopes of their own on behalf of their users (systemd-run(1), `--user --scope`; Flatpak and snap,
 * too).
 */
export interface GroupMembers {
  /** Records the current members. */
  note(group: ControlGroup): void;
  /** Puts back members that are still running and were not taken out by us. */
  look(group: ControlGroup): void;
  forget(): void;
}

/** Start times by pid: the pid of a process that has ended may be reused at once. */
type Members = ReadonlyMap<number, string>;

const maxLogged = 20;

export function createGroupMembers(parts: {
  /** Moves the process with this start time, and no other. */
  move: (process: ProcessMove, startedAt: string) => Promise<ProcessesMoved>;
  /** Whether a process was taken out by us, on its user's request. */
  isOutside: (user: string, pid: number) => boolean;
  log: Log;
}): GroupMembers {
  let members: Members = new Map();
  let times = 0;

  async function putBack(user: string, pid: number, startedAt: string): Promise<void> {
    try {
      if (parts.isOutside(user, pid)) return;
      const { moved, ended } = await parts.move({ user, pid, into: 'group' }, startedAt);
      times += moved > 0 ? 1 : 0;
      // A program that moves processes by a rule will do it for ever.
      if (moved > 0 && times <= maxLogged)
        parts.log.warn('others took programs out of their group; they were put back', {
          moved,
          ended,
          times,
        });
    } catch (error) {
      if (!(error instanceof NoSuchProcess)) parts.log.error('a program could not be put back', error);
      // Most have ended. A setuid program may become the user's own again, as snap-confine does.
      if (startTimeOf(pid) === startedAt) members = new Map([...members, [pid, startedAt]]);
    }
  }

  return {
    note({ directory }) {
      members = new Map([...members, ...membersOf(directory)]);
    },
    look({ user, directory }) {
      const now = membersOf(directory);
      const gone = [...members].filter(([pid]) => !now.has(pid));
      members = now;
      for (const [pid, startedAt] of gone) void putBack(user, pid, startedAt);
    },
    forget() {
      members = new Map();
    },
  };
}

function membersOf(group: string): Members {
  const found = new Map<number, string>();
  for (const pid of pidsOf(group)) {
    const startedAt = startTimeOf(pid);
    if (startedAt !== undefined) found.set(pid, startedAt);
  }
  // Between the two checks of a process, its pid may have been reused by a program elsewhere.
  const still = new Set(pidsOf(group));
  return new Map([...found].filter(([pid]) => still.has(pid)));
}

function pidsOf(group: string): number[] {
  try {
    return readFileSync(path.join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    // The group was removed; when it is restored, that is reported.
    return [];
  }
}
