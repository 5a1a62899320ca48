import { createHmac } from 'node:crypto';
import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';

export const windowsProfile = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(env['APPDATA'] ?? path.join(homeFolder(), 'AppData/Roaming'), 'Waymaker');

/**
 * The pipes of all users are in one folder, and whoever makes one first gets what is sent to it. So nobody else can
 * tell their names beforehand: they come from `key`, which is only known in the `profile`.
 */
export const pipeName = (kind: 'core' | 'lock', profile: string, key: string): string => {
  const name = createHmac('sha256', key).update(`${kind} ${profile}`).digest('hex').slice(0, 32);
  return String.raw`\\.\pipe\waymaker-${kind}-${name}`;
};
