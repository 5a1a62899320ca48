import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';

export const windowsProfile = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(env['APPDATA'] ?? path.join(homeFolder(), 'AppData/Roaming'), 'Waymaker');

/** `profile`: distinguishes those of one user. */
export const pipeName = (kind: 'core' | 'lock', profile: string): string =>
  String.raw`\\.\pipe\waymaker-${kind}-${profile}`;
