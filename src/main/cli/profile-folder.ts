import path from 'node:path';
import { defaultProfile } from '../control/control-place.ts';

/** The app's data folder; undefined if it cannot be determined, for a user without HOME and without an account. */
export function profileFolder(surroundings: Parameters<typeof defaultProfile>[0]): string | undefined {
  try {
    return path.resolve(surroundings.env['WAYMAKER_USER_DATA'] || defaultProfile(surroundings));
  } catch {
    return undefined;
  }
}

/** Error codes that mean that a folder cannot be created or written to. */
const unusable = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT'];

/** Whether something failed because the app's data folder cannot be used. */
export function isUnusableFolder(error: unknown, profile: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return false;
  return unusable.includes(String(error.code)) && String(error.path).startsWith(profile);
}
