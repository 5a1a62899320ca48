import path from 'node:path';
import { defaultProfile } from '../control/control-place.ts';

/** The app's data folder; undefined where nobody says which it is: without HOME, a user who has no account either. */
export function profileFolder(surroundings: Parameters<typeof defaultProfile>[0]): string | undefined {
  try {
    return path.resolve(surroundings.env['WAYMAKER_USER_DATA'] || defaultProfile(surroundings));
  } catch {
    return undefined;
  }
}

/** Error numbers that say that a folder cannot be made, or not be written to. */
const unusable = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT'];

/** Whether something failed because nothing can be kept in the app's data folder. */
export function isUnusableFolder(error: unknown, profile: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return false;
  return unusable.includes(String(error.code)) && String(error.path).startsWith(profile);
}
