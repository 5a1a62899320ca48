import { lockOfFolder, takeCoreLock } from '#node/os/process-lock.ts';

/** What only one program of a user does at a time in a folder of downloads; the kernel ends it with its process. */
export async function lockDownloads(folder: string): Promise<Disposable | undefined> {
  const lock = await takeCoreLock(lockOfFolder(folder, 'downloads'));
  return lock && { [Symbol.dispose]: () => lock.release() };
}
