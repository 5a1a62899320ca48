import { opendirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { NoSuchProcess, type ProcessesMoved, type ProcessMove } from '../system/ports.ts';
import type { AppGroups } from './app-groups.ts';
import { asUser } from './as-user.ts';
import { mountPoint, type ControlGroup, type ControlGroups } from './control-groups.ts';
import { endSockets } from './netlink-sockets.ts';
import { openProcess } from './process-descriptor.ts';
import { startTimeOf } from './process-start.ts';

/** More than a program's tree has; who has more is up to something. */
const maxProcesses = 2_000;
/** Files that are looked at, of all of them together, and at once. */
const maxFiles = 20_000;
const filesAtOnce = 250;

interface Ids {
  uid: number;
  gid: number;
}

/**
 * Puts a process and its descendants of the same user into the user's group or out of it; what they start meanwhile is
 * where they are by then. Ends their connections to other machines, of TCP and of connected UDP sockets. `startedAt`: only
 * the process of that number that started then. Throws `NoSuchProcess`.
 */
export async function moveProcess(
  parts: { appGroups: AppGroups; groups: ControlGroups },
  { user, pid, into }: ProcessMove,
  startedAt?: string,
): Promise<ProcessesMoved> {
  const uid = Number(user);
  if (!idsOf(pid, uid)) throw new NoSuchProcess();
  const group = into === 'group' ? parts.appGroups.ensure(user) : parts.groups.make(user, 'outside');
  const moved = new Map<number, Ids>();
  const seen = new Set<number>();
  /** Whoever was somewhere else before is looked at once more: it may have had children in between. */
  for (let waiting = [pid]; waiting.length > 0;) {
    const next: number[] = [];
    for (const one of waiting) {
      if (seen.size >= maxProcesses) break;
      const ids = moveOne(one, uid, { group, startedAt: one === pid ? startedAt : undefined });
      const known = seen.has(one);
      // One that ends once it was moved leaves children that were, too.
      if (one === pid && !ids && !known) throw new NoSuchProcess();
      seen.add(one);
      if (!known && ids && ids !== 'there') moved.set(one, ids);
      // Those from before; what it starts from now on is where it is. A setuid program stays, and what it has started
      // with the user's rights again does not.
      const children = childrenOf(one).filter((child) => !seen.has(child));
      next.push(...children);
      if (!known && ids && ids !== 'there') next.push(one);
      // The kernel may take milliseconds for each; others get their turn.
      await setImmediate();
    }
    waiting = next;
  }
  const ended = await endSockets(new Set(await socketsOf(moved)));
  return { moved: moved.size, ended };
}

export const isInGroup = (pid: number, { directory }: ControlGroup): boolean =>
  groupOf(pid) === groupPath(directory);

/** Undefined: it is none of the user's, or gone. `there`: it was in the group before. */
function moveOne(
  pid: number,
  uid: number,
  { group: { directory }, startedAt }: { group: ControlGroup; startedAt: string | undefined },
): Ids | 'there' | undefined {
  using descriptor = openProcess(pid);
  if (!descriptor || (startedAt !== undefined && startTimeOf(pid) !== startedAt)) return undefined;
  const ids = idsOf(pid, uid);
  const before = groupOf(pid);
  if (!ids || before === undefined || !descriptor.isAlive()) return undefined;
  if (before === groupPath(directory)) return 'there';
  try {
    writeFileSync(path.join(directory, 'cgroup.procs'), String(pid));
  } catch {
    return undefined;
  }
  if (descriptor.isAlive()) return ids;
  // It ended, and its number may have become another's between the look and the move.
  if (groupOf(pid) === groupPath(directory)) putBesideParent(pid);
  return undefined;
}

/** Where somebody else's process was is not known; most are where their parents are. */
function putBesideParent(pid: number): void {
  const parent = Number(/^PPid:\t(\d+)/m.exec(readProcess(pid, 'status') ?? '')?.[1]);
  const group = groupOf(parent);
  try {
    if (group !== undefined) writeFileSync(path.join(mountPoint(), group, 'cgroup.procs'), String(pid));
  } catch {
    // It is gone too.
  }
}

/** Undefined unless the process is that user's, and has no other user's rights besides (setuid programs). */
function idsOf(pid: number, uid: number): Ids | undefined {
  if (pid <= 1 || pid === process.pid) return undefined;
  const status = readProcess(pid, 'status') ?? '';
  const uids = /^Uid:((?:\t\d+){4})/m.exec(status)?.[1]?.trim().split('\t').map(Number);
  const gid = Number(/^Gid:\t(\d+)/m.exec(status)?.[1]);
  if (!uids || uids.some((one) => one !== uid) || hasEnded(status)) return undefined;
  return { uid, gid };
}

/** Its first thread may end before the others. */
const hasEnded = (status: string) => /^State:\t[ZX]/m.test(status) && /^Threads:\t[01]$/m.test(status);

/** One that has not ended, if any has not; what is said of the others is the same. */
const lastThread = (pid: number) => listed(`/proc/${pid}/task`).at(-1) ?? pid;

/** Its control group of version 2, from their mount point on. */
const groupOf = (pid: number) =>
  /^0::(\/.*)$/m.exec(readProcess(pid, `task/${lastThread(pid)}/cgroup`) ?? '')?.[1];

const groupPath = (directory: string) => path.join('/', path.relative(mountPoint(), directory));

function childrenOf(pid: number): number[] {
  return listed(`/proc/${pid}/task`).flatMap((task) =>
    (readProcess(pid, `task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
}

function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** The inodes of their sockets, as far as their user may see them. */
async function socketsOf(processes: ReadonlyMap<number, Ids>): Promise<number[]> {
  const inodes: number[] = [];
  let left = maxFiles;
  for (const [pid, ids] of processes) {
    const directory = `/proc/${pid}/task/${lastThread(pid)}/fd`;
    using files = asUser(ids, () => openDirectory(directory));
    for (let found = files ? filesAtOnce : 0; found === filesAtOnce && left > 0; await setImmediate()) {
      const names = files?.next(filesAtOnce) ?? [];
      asUser(ids, () => {
        for (const name of names) {
          const inode = /^socket:\[(\d+)\]$/.exec(linked(path.join(directory, name)))?.[1];
          if (inode !== undefined) inodes.push(Number(inode));
        }
      });
      found = names.length;
      left -= found;
    }
  }
  return inodes;
}

/** Some names at a time, of which there may be a million; undefined if it may not be looked into. */
function openDirectory(directory: string): (Disposable & { next(count: number): string[] }) | undefined {
  try {
    const files = opendirSync(directory);
    const read = () => {
      try {
        return files.readSync()?.name;
      } catch {
        // The process has ended.
        return undefined;
      }
    };
    return {
      next(count) {
        const names: string[] = [];
        for (let name; names.length < count && (name = read()) !== undefined;) names.push(name);
        return names;
      },
      [Symbol.dispose]: () => files.closeSync(),
    };
  } catch {
    return undefined;
  }
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function linked(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
