import { createHmac } from 'node:crypto';
import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';
import { pipeNamed } from '#node/os/windows/pipe-name.ts';
import type { ControlPlace } from '../place.ts';
import { controlKey } from './control-key.ts';

export const windowsProfile = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(env['APPDATA'] ?? path.join(homeFolder(), 'AppData/Roaming'), 'Waymaker');

/**
 * The pipes of all users are in one folder, and whoever makes one first gets what is sent to it. So nobody else can
 * tell their names beforehand: they come from `key`, which is only known in the `profile`.
 */
const pipeName = (kind: 'core' | 'lock', profile: string, key: string): string => {
  const name = createHmac('sha256', key).update(`${kind} ${profile}`).digest('hex').slice(0, 32);
  return pipeNamed(`waymaker-${kind}-${name}`);
};

/** What Windows does not carry to a server with the rest of the user's profile. */
export const localFolder = (env: Readonly<NodeJS.ProcessEnv>): string =>
  path.join(env['LOCALAPPDATA'] ?? path.join(homeFolder(), 'AppData/Local'), 'Waymaker');

/** Under names that only its user's programs know. */
export function windowsPlace(profile: string): ControlPlace {
  const key = controlKey(profile);
  const [socketPath, lockPath] = [pipeName('core', profile, key), pipeName('lock', profile, key)];
  return { socketPath, lockPath, key, profile };
}
