import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';

/**
 * Creates a directory and its missing parents; resolves with whether it was missing. Node's own `recursive` never ends
 * in a file system that refuses to create directories and reports that they do not exist, such as /proc.
 */
export async function makeDirectory(directory: string, mode?: number): Promise<boolean> {
  try {
    return await makeOne(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    const isMissing = hasErrorCode(error, 'ENOENT');
    if (!isMissing || parent === directory) throw error;
    await makeDirectory(parent, mode);
    return makeOne(directory, mode);
  }
}

async function makeOne(directory: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(directory, { mode });
    return true;
  } catch (error) {
    const found = await stat(directory).catch(() => undefined);
    if (found?.isDirectory()) return false;
    throw error;
  }
}
