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
 * Control groups of version 2 that are the helper's own (cgroups(7)): `NAME/UID/inside` for a user's group of programs,
 * and `NAME/UID/outside` for what was taken out of it. Root's alone, so that nobody takes a process out or in on
 * their own, and no service manager's, which removes its own with their last process.
 */
export interface ControlGroups {
  /** Throws where there are no control groups of version 2, or where somebody else's are in the way. */
  make(user: string, place: Place): ControlGroup;
  /** Those that are there, of any helper of ours; not what other programs have in a group of that name. */
  all(): ControlGroup[];
  /** Removes those that nothing runs in. */
  removeEmpty(): void;
}
export type Place = 'inside' | 'outside';

export interface ControlGroup {
  user: string;
  place: Place;
  /** Its directory. */
  directory: string;
}

/** Another number for one that was removed and made once more; undefined if there is none. */
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
      mkdirSync(directory, { recursive: true, mode: 0o755 });
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

/** Where the groups of version 2 are, which may be mounted more than once, and out of reach. Throws if nowhere. */
export function mountPoint(): string {
  const found = findMountPoint();
  if (found === undefined)
    throw new Error('control groups of version 2 are not mounted, or cannot be written to');
  return found;
}

function findMountPoint(): string | undefined {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' '))
    .filter(([, , , root]) => root === '/')
    .map(([, , , , directory = '']) => directory.replace(/\\040/g, ' '))
    .find(isReachable);
}

function isReachable(directory: string): boolean {
  try {
    accessSync(path.join(directory, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whoever owns a group, or its list of processes, takes them out of it (cgroups(7), "Delegation containment rules"). */
function refuseOthers(group: string): void {
  for (const file of [group, path.join(group, 'cgroup.procs')]) {
    const { uid, mode } = statSync(file);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
      throw new Error(`${file} could be changed by others`);
  }
}

/** Whoever is moved leaves the limit behind that the user's own slice has, a third of all by systemd's default. */
function limitTasks(root: string, user: string): void {
  const most = ['pid_max', 'threads-max'].map((name) =>
    Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8')),
  );
  try {
    writeFileSync(path.join(root, 'cgroup.subtree_control'), '+pids');
    writeFileSync(path.join(user, 'pids.max'), String(Math.floor(Math.min(...most) / 3)));
  } catch {
    // Nobody limits them on this machine.
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
    // Something runs in it, or it is gone.
  }
}
