import { homedir } from 'node:os';
import path from 'node:path';

export const windowsProfile = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(env['APPDATA'] ?? path.join(homedir(), 'AppData/Roaming'), 'Waymaker');

/** `profile`: distinguishes those of one user. */
export const pipeName = (kind: 'core' | 'lock', profile: string): string =>
  String.raw`\\.\pipe\waymaker-${kind}-${profile}`;
