import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';
import { defaultProfile } from './control-place.ts';

/**
 * Where a user's downloads of updates are, and what is remembered of them: in the profile; on Windows beside what is of
 * this computer alone. A profile of Windows may be on a server, where an administrator's installer does not reach it,
 * and is copied there at each sign-out, with all that is in it.
 */
export function updatesFolder(
  profile: string,
  { env, platform }: { env: Readonly<NodeJS.ProcessEnv>; platform: NodeJS.Platform },
): string {
  const isRoaming =
    platform === 'win32' && path.resolve(profile) === path.resolve(defaultProfile({ env, platform }));
  if (!isRoaming) return path.join(profile, 'updates');
  return path.join(env['LOCALAPPDATA'] ?? path.join(homeFolder(), 'AppData/Local'), 'Waymaker', 'updates');
}
