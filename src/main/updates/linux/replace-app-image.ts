import { randomUUID } from 'node:crypto';
import { chmod, copyFile, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { UpdateInstaller } from '../update-installer.ts';

/**
 * Puts a download in the place of the AppImage that runs, under the name that this has: menu entries and links that
 * lead to it stay right. What runs keeps the file that it was started from. The helper comes from a package, and stays.
 */
export const appImageInstaller = (appImage: string): UpdateInstaller => ({
  endsTunnel: false,
  reopens: true,
  next: appImage,
  async start(file, { onBegun }) {
    let copy: string | undefined;
    try {
      const target = await realpath(appImage);
      const { mode } = await stat(target);
      // In the same folder, so that it can be renamed; the download may be on another disk.
      copy = `${target}.${randomUUID()}`;
      await copyFile(file, copy);
      await chmod(copy, mode | 0o100);
      await using written = await open(copy);
      await written.sync();
      await rename(copy, target);
      onBegun();
      return 'started';
    } catch (error) {
      if (copy !== undefined) await rm(copy, { force: true }).catch(() => undefined);
      return isForbidden(error) ? 'not-writable' : 'not-replaced';
    }
  },
  // What it does is done when it has been started.
  isRunning: () => Promise.resolve(false),
});

/** The folder, or its disk, may belong to somebody else, or only be read. */
const isForbidden = (error: unknown): boolean => hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS');
