import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { PrivateFiles } from '../system/ports/private-files-port.ts';

/** By a file's owner and its permissions. */
export const privateFiles: PrivateFiles = {
  async read(file, length) {
    try {
      const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const found = await handle.stat();
        const isOurs = found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
        if (!isOurs || found.size !== length) return 'unusable';
        const content = Buffer.alloc(length);
        const { bytesRead } = await handle.read(content, 0, length, 0);
        return bytesRead === length ? content : 'unusable';
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return 'absent';
      // A link (open(2), O_NOFOLLOW).
      if (hasErrorCode(error, 'ELOOP')) return 'unusable';
      throw error;
    }
  },
  async create(file, content) {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};
