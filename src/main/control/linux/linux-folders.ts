import { homedir } from 'node:os';
import path from 'node:path';

export function linuxProfile(env: Readonly<NodeJS.ProcessEnv>): string {
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  // Relative paths must be ignored (XDG Base Directory Specification): each program would find another folder.
  const folder = path.isAbsolute(configured) ? configured : path.join(homedir(), '.config');
  return path.join(folder, 'Waymaker');
}

/** Where sockets of this user may be, best first; they may not exist. */
export const runtimeFolders = (env: Readonly<NodeJS.ProcessEnv>, uid: number): string[] =>
  [env['XDG_RUNTIME_DIR'], `/run/user/${uid}`].flatMap((folder) => folder || []);
