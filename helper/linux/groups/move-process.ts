import { opendirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  NoSuchProcess,
  type ProcessesMoved,
  type ProcessMove,
} from '../../system/ports/program-groups-port.ts';
import type { ProgramGroups } from './program-groups.ts';
import { asUser } from './as-user.ts';
import { mountPoint, type ControlGroup, type ControlGroups } from './control-groups.ts';
import { endSockets } from '../netlink/netlink-sockets.ts';
import { openProcess } from './process-descriptor.ts';
import { startTimeOf } from './process-start.ts';

/** More than a program's process tree has; anything larger is suspicious. */
const maxProcesses = 2_000;
/** The maximum number of files to inspect, in total and at once. */
const maxFiles = 20_000;
const filesAtOnce = 250;

interface Ids {
  uid: number;
  gid: number;
}

/**
 * Moves a process and its descendants of the same user into the user's group or out of it; what they start meanwhile
 * ends up there, too. Ends their connections to other machines (TCP, and connected UDP sockets). `startedAt`: only the
 * process that started then. Throws `NoSuchProcess`.
 */
export async function moveProcess(
  parts: { programGroups: ProgramGroups; groups: ControlGroups },
  { user, pid, into }: ProcessMove,
  startedAt?: string,
): Promise<ProcessesMoved> {
  const uid = Number(user);
  if (!idsOf(pid, uid)) throw new NoSuchProcess();
  const group = into === 'group' ? parts.programGroups.ensure(user) : parts.groups.make(user, 'outside');
  const moved = new Map<number, Ids>();
  const seen = new Set<number>();
  /** Processes that were somewhere else before are checked twice, because they may have started children in between. */
  for (let waiting = [pid]; waiting.length > 0;) {
    const next: number[] = [];
    for (const one of waiting) {
      if (seen.size >= maxProcesses) break;
      const ids = moveOne(one, uid, { group, startedAt: one === pid ? startedAt : undefined });
      const known = seen.has(one);
      // A process that ends after being moved leaves children that were moved, too.
      if (one === pid && !ids && !known) throw new NoSuchProcess();
      seen.add(one);
      if (!known && ids && ids !== 'there') moved.set(one, ids);
      // Children from before; what it starts from now on is in the right place. A setuid program stays, but what it has
      // started with the user's rights again does not.
      const children = childrenOf(one).filter((child) => !seen.has(child));
      next.push(...children);
      if (!known && ids && ids !== 'there') next.push(one);
      // The kernel may need milliseconds for each; other work runs in between.
      await setImmediate();
    }
    waiting = next;
  }
  const ended = await endSockets(new Set(await socketsOf(moved)));
  return { moved: moved.size, ended };
}

export const isInGroup = (pid: number, { directory }: ControlGroup): boolean =>
  groupOf(pid) === groupPath(directory);

/** Undefined: it is not the user's process, or has ended. `there`: it was already in the group. */
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
  // It ended between the check and the move, and its pid may have been reused.
  if (groupOf(pid) === groupPath(directory)) putBesideParent(pid);
  return undefined;
}

/** The earlier place of another user's process is not known; most are in the same place as their parents. */
function putBesideParent(pid: number): void {
  const parent = Number(/^PPid:\t(\d+)/m.exec(readProcess(pid, 'status') ?? '')?.[1]);
  const group = groupOf(parent);
  try {
    if (group !== undefined) writeFileSync(path.join(mountPoint(), group, 'cgroup.procs'), String(pid));
  } catch {
    // It has ended, too.
  }
}

/** Undefined unless the process belongs to that user and has no other user's rights besides (setuid programs). */
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

/** A thread that has not ended, if there is one; the others report the same. */
const lastThread = (pid: number) => listed(`/proc/${pid}/task`).at(-1) ?? pid;

/** The path of its control group of version 2, below the mount point. */
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

/** Returns some names at a time, because there may be a million; undefined if the directory may not be read. */
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
