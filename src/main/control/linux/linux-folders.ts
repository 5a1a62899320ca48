import path from 'node:path';
import { baseFolder } from '#node/os/base-folder.ts';
import { homeFolder, isSudoCallers } from '#node/os/home-folder.ts';

export function linuxProfile({ XDG_CONFIG_HOME: named }: Readonly<NodeJS.ProcessEnv>): string {
  const own = path.join(homeFolder(), '.config');
  return path.join(named !== undefined && isSudoCallers(named) ? own : baseFolder(named, own), 'Waymaker');
}

/** Where sockets of this user may be, best first; they may not exist. */
export const runtimeFolders = (env: Readonly<NodeJS.ProcessEnv>, uid: number): string[] => [
  ...new Set([baseFolder(env['XDG_RUNTIME_DIR'], `/run/user/${uid}`), `/run/user/${uid}`]),
];
