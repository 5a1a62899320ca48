import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import type { ControlPlace } from '../place.ts';

/** In a folder that only its user can enter, which is created if it does not exist. Throws if none can be trusted. */
export function socketPlace(
  profile: string,
  options: {
    /** Whether it is the one that is used unless somebody names another. */
    isUsual: boolean;
    /** Where sockets of this user may be, best first; they may not exist. */
    runtimeFolders: readonly string[];
  },
): ControlPlace {
  const digest = createHash('sha256').update(profile).digest('hex').slice(0, 12);
  const name = options.isUsual ? 'core' : `core-${digest}`;
  const folder = ownFolder(profile, options.runtimeFolders);
  return {
    socketPath: path.join(folder, `${name}.sock`),
    lockPath: path.join(folder, `${name}.lock`),
    profile,
    profileLockPath: path.join(profile, `core-${hostname().replaceAll(/[^\w.-]/g, '_')}.lock`),
  };
}

/**
 * The maximum length of a Unix socket's path on all systems (unix(7): 108 bytes on Linux; 104 on macOS), minus the
 * file's name.
 */
const maxFolderBytes = 75;

function ownFolder(profile: string, runtimeFolders: readonly string[]): string {
  const uid = process.getuid?.() ?? 0;
  const folders = [
    ...runtimeFolders.flatMap((folder) => (isOwn(folder, uid) ? path.join(folder, 'waymaker') : [])),
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
