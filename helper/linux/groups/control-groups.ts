import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/**
 * The helper's own control groups, version 2 (cgroups(7)): `NAME/UID/inside` for a user's group of programs, and
 * `NAME/UID/outside` for processes that were taken out of it. They belong to root, so that users cannot move processes
 * by themselves, and not to a service manager, which would remove them with their last process.
 */
export interface ControlGroups {
  /** Throws if there are no control groups of version 2, or if groups of somebody else are in the way. */
  make(user: string, place: Place): ControlGroup;
  /** All existing groups, from any of our helpers; without other programs' groups below the same name. */
  all(): ControlGroup[];
  /** Removes groups without processes. */
  removeEmpty(): void;
}
export type Place = 'inside' | 'outside';

export interface ControlGroup {
  user: string;
  place: Place;
  /** Its directory. */
  directory: string;
}

/** A number that differs for a group that was removed and created again; undefined if there is no group. */
export function numberOf({ directory }: ControlGroup): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.ino;
}

export function createControlGroups(name: string): ControlGroups {
  const root = () => path.join(mountPoint(), name);

  const userGroups = () => childrenOf(root()).filter((user) => /^\d+$|^trial$/.test(user));

  function all(): ControlGroup[] {
    if (findMountPoint() === undefined) return [];
    return userGroups().flatMap((user) =>
      childrenOf(path.join(root(), user)).flatMap((place) =>
        place === 'inside' || place === 'outside'
          ? [{ user, place, directory: path.join(root(), user, place) }]
          : [],
      ),
    );
  }

  return {
    make(user, place) {
      const directory = path.join(root(), user, place);
      makeDirectory(directory);
      for (const own of [root(), path.join(root(), user), directory]) refuseOthers(own);
      limitTasks(root(), path.join(root(), user));
      return { user, place, directory };
    },
    all,
    removeEmpty() {
      if (findMountPoint() === undefined) return;
      for (const { directory } of all()) removeIfEmpty(directory);
      for (const user of userGroups()) removeIfEmpty(path.join(root(), user));
      removeIfEmpty(root());
    },
  };
}

const unusable = 'control groups of version 2 are not mounted, or cannot be written to';

/**
 * Where control groups of version 2 are mounted; there may be several mounts, some out of reach. Throws if there is
 * none.
 */
export function mountPoint(): string {
  const found = findMountPoint();
  if (found === undefined) throw new Error(unusable);
  return found;
}

/** Prefers a mount that can be written to; on groups that exist already, programs can be attached in any case. */
function findMountPoint(): string | undefined {
  const all = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' '))
    .filter(([, , , root]) => root === '/')
    .map(([, , , , directory = '']) => directory.replace(/\\040/g, ' '));
  const canBe = (access: number) => all.find((directory) => isAllowed(directory, access));
  return canBe(constants.W_OK) ?? canBe(constants.R_OK);
}

function isAllowed(directory: string, access: number): boolean {
  try {
    accessSync(path.join(directory, 'cgroup.procs'), access);
    return true;
  } catch {
    return false;
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
  } catch (cause) {
    throw new Error(unusable, { cause });
  }
}

/**
 * The owner of a group, or of its list of processes, can take processes out of it (cgroups(7), "Delegation containment
 * rules").
 */
function refuseOthers(group: string): void {
  for (const file of [group, path.join(group, 'cgroup.procs')]) {
    const { uid, mode } = statSync(file);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
      throw new Error(`${file} could be changed by others`);
  }
}

/**
 * Moved processes are no longer subject to the limit of the user's own slice, which is a third of all by systemd's
 * default.
 */
function limitTasks(root: string, user: string): void {
  const most = ['pid_max', 'threads-max'].map((name) =>
    Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8')),
  );
  try {
    writeFileSync(path.join(root, 'cgroup.subtree_control'), '+pids');
    writeFileSync(path.join(user, 'pids.max'), String(Math.floor(Math.min(...most) / 3)));
  } catch {
    // Tasks are not limited on this machine.
  }
}

function childrenOf(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It still has processes, or is already gone.
  }
}
