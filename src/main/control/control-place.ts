import path from 'node:path';
import type { ControlPlace } from './place.ts';
import { linuxProfile, runtimeFolders } from './linux/linux-folders.ts';
import { macosProfile } from './macos/macos-folders.ts';
import { socketPlace } from './posix/socket-place.ts';
import { localFolder, windowsPlace, windowsProfile } from './windows/windows-places.ts';

export type { ControlPlace } from './place.ts';

interface Surroundings {
  env: Readonly<NodeJS.ProcessEnv>;
  /** This system, unless somebody asks for another. */
  platform?: NodeJS.Platform;
}

/** This user's default data folder of the app, as Electron chooses it. */
export function defaultProfile({ env, platform = process.platform }: Surroundings): string {
  if (platform === 'darwin') return macosProfile();
  return platform === 'win32' ? windowsProfile(env) : linuxProfile(env);
}

/** What belongs beside that profile, and to this computer alone; undefined where that is the profile itself. */
export const localProfile = ({ env, platform = process.platform }: Surroundings): string | undefined =>
  platform === 'win32' ? localFolder(env) : undefined;

/**
 * The place of this profile, in a folder that only its user can enter, which is created if it does not exist; on
 * Windows, under names that only its user's programs know. Throws if no such folder can be trusted.
 */
export function controlPlace(profile: string, surroundings: Surroundings): ControlPlace {
  const resolved = path.resolve(profile);
  const { env, platform = process.platform } = surroundings;
  if (platform === 'win32') return windowsPlace(resolved);
  return socketPlace(resolved, {
    isUsual: resolved === path.resolve(defaultProfile(surroundings)),
    runtimeFolders: platform === 'linux' ? runtimeFolders(env, process.getuid?.() ?? 0) : [],
  });
}
