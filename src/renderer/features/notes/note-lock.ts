import { pageNote as limits } from '#shared/constants.ts';
import type { PageNote, PageNoteId } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { storageKeys } from '../../platform/storage/storage-keys.ts';

/** Keeps something from being shown again for a while. */
export interface NoteLock {
  /** A key of the page's storage. */
  key: string;
  seconds: number;
}

export const pageLock = (page: PageNoteId): NoteLock => ({
  key: storageKeys.pageNoteLock(page),
  seconds: limits.pageLockSeconds,
});

export const noteLock = ({ id, redisplayLockSeconds }: PageNote): NoteLock => ({
  key: storageKeys.noteLock(id),
  seconds: redisplayLockSeconds,
});

/** Locks from now on; false if it could not be stored. */
export function lock(storage: Host['storage'], { key, seconds }: NoteLock): Promise<boolean> {
  return storage.set({ key, value: String(Date.now() + seconds * 1000) });
}

export async function isLocked(storage: Host['storage'], { key, seconds }: NoteLock): Promise<boolean> {
  const left = Number((await storage.get(key)) ?? 0) - Date.now();
  // A lock longer than any that is set now comes from before the clock was set back, or from another duration.
  return left > 0 && left <= seconds * 1000;
}
