import { createHash } from 'node:crypto';
import { takeCoreLock } from '#node/os/process-lock.ts';

/** What only one program of a user does at a time in a folder of downloads; the kernel ends it with its process. */
export async function lockDownloads(
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<Disposable | undefined> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const place = platform === 'win32' ? `\\\\.\\pipe\\waymaker-downloads-${name}` : `${folder}.lock`;
  const lock = await takeCoreLock(place, platform);
  return lock && { [Symbol.dispose]: () => lock.release() };
}
