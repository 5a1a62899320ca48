import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { linuxProfile, runtimeFolders } from './linux/linux-folders.ts';
import { macosProfile } from './macos/macos-folders.ts';
import { controlKey } from './windows/control-key.ts';
import { pipeName, windowsProfile } from './windows/windows-places.ts';

/** Where to find the process that runs the core of a profile, and the lock that keeps out a second one. */
export interface ControlPlace {
  /** Unix socket, or named pipe on Windows. */
  socketPath: string;
  /** A file that the process with the core keeps locked, or a pipe that it listens on. */
  lockPath: string;
  /** On Windows: what only this user's programs know, by which they know the core. */
  key?: string;
  /** The folder with the settings and the log. */
  profile: string;
  /**
   * The same in the profile, for processes that were told another folder for sockets; none where the place depends on
   * the profile alone. With this computer's name, since homes may be on a server.
   */
  profileLockPath?: string;
}

interface Surroundings {
  env: Readonly<NodeJS.ProcessEnv>;
  platform: NodeJS.Platform;
}

/** This user's default data folder of the app, as Electron chooses it. */
export function defaultProfile({ env, platform }: Surroundings): string {
  if (platform === 'darwin') return macosProfile();
  return platform === 'win32' ? windowsProfile(env) : linuxProfile(env);
}

/**
 * The place of this profile, in a folder that only its user can enter, which is created if it does not exist; on
 * Windows, under names that only its user's programs know. Throws if no such folder can be trusted.
 */
export function controlPlace(profile: string, surroundings: Surroundings): ControlPlace {
  const resolved = path.resolve(profile);
  if (surroundings.platform === 'win32') {
    const key = controlKey(resolved);
    const [socketPath, lockPath] = [pipeName('core', resolved, key), pipeName('lock', resolved, key)];
    return { socketPath, lockPath, key, profile: resolved };
  }
  const digest = createHash('sha256').update(resolved).digest('hex').slice(0, 12);
  const isUsual = resolved === path.resolve(defaultProfile(surroundings));
  const name = isUsual ? 'core' : `core-${digest}`;
  const folder = ownFolder(resolved, surroundings);
  return {
    socketPath: path.join(folder, `${name}.sock`),
    lockPath: path.join(folder, `${name}.lock`),
    profile: resolved,
    profileLockPath: path.join(resolved, `core-${hostname().replaceAll(/[^\w.-]/g, '_')}.lock`),
  };
}

/**
 * The maximum length of a Unix socket's path on all systems (unix(7): 108 bytes on Linux; 104 on macOS), minus the
 * file's name.
 */
const maxFolderBytes = 75;

function ownFolder(profile: string, { env, platform }: Surroundings): string {
  const uid = process.getuid?.() ?? 0;
  const runtime = platform === 'linux' ? runtimeFolders(env, uid) : [];
  const folders = [
    ...runtime.flatMap((folder) => (isOwn(folder, uid) ? path.join(folder, 'waymaker') : [])),
    path.join(profile, 'control'),
    path.join(tmpdir(), `waymaker-${uid}`),
    // TMPDIR may be as long as a home.
    `/tmp/waymaker-${uid}`,
  ];
  const folder = folders.find((one) => Buffer.byteLength(one) <= maxFolderBytes) ?? folders[0] ?? profile;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Others can create folders in /tmp, too, and would then receive the requests.
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} is open to other users`);
  return folder;
}

function isOwn(folder: string, uid: number): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === uid;
  } catch {
    return false;
  }
}
