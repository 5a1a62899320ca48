import path from 'node:path';
import { baseFolder } from '#node/os/base-folder.ts';
import { homeFolder } from '#node/os/home-folder.ts';

export const linuxProfile = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(baseFolder(env['XDG_CONFIG_HOME'], path.join(homeFolder(), '.config')), 'Waymaker');

/** Where sockets of this user may be, best first; they may not exist. */
export const runtimeFolders = (env: Readonly<NodeJS.ProcessEnv>, uid: number): string[] => [
  ...new Set([baseFolder(env['XDG_RUNTIME_DIR'], `/run/user/${uid}`), `/run/user/${uid}`]),
];
