import path from 'node:path';
import { defaultProfile, localProfile } from './control-place.ts';

/**
 * Where a user's downloads of updates are, and what is remembered of them: in the profile, or beside what is of this
 * computer alone, where the system has that. A profile of Windows may be on a server, where an administrator's installer
 * does not reach it, and is copied there at each sign-out, with all that is in it.
 */
export function updatesFolder(
  profile: string,
  surroundings: { env: Readonly<NodeJS.ProcessEnv>; platform: NodeJS.Platform },
): string {
  const isUsual = path.resolve(profile) === path.resolve(defaultProfile(surroundings));
  return path.join((isUsual ? localProfile(surroundings) : undefined) ?? profile, 'updates');
}
