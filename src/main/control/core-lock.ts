import { mkdirSync } from 'node:fs';
import { lockHolder, takeCoreLock, type CoreLock } from '#node/os/process-lock.ts';
import type { ControlPlace } from './control-place.ts';

/**
 * Proof that only this process runs the core of a profile; undefined if another one does. The lock beside the socket
 * says whether others can find this process, and the one in the profile keeps out those that were told another runtime
 * folder. A home that cannot be written to has none.
 */
export async function takeCore(
  { lockPath, profile, profileLockPath }: ControlPlace,
  platform: NodeJS.Platform,
): Promise<CoreLock | undefined> {
  const ofProfile = await takeProfileLock(profile, profileLockPath, platform);
  if (ofProfile === 'taken') return undefined;
  const lock = await takeCoreLock(lockPath, platform);
  if (!lock) {
    ofProfile?.release();
    return undefined;
  }
  return {
    isInPlace: () => lock.isInPlace(),
    release() {
      lock.release();
      ofProfile?.release();
    },
  };
}

/** The process that has the core, if that is known. */
export const coreHolder = ({ lockPath, profileLockPath }: ControlPlace): number | undefined =>
  lockHolder(lockPath) ?? (profileLockPath === undefined ? undefined : lockHolder(profileLockPath));

async function takeProfileLock(
  profile: string,
  file: string | undefined,
  platform: NodeJS.Platform,
): Promise<CoreLock | 'taken' | undefined> {
  if (file === undefined) return undefined;
  try {
    mkdirSync(profile, { recursive: true, mode: 0o700 });
    return (await takeCoreLock(file, platform)) ?? 'taken';
  } catch {
    return undefined;
  }
}
