import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a directory and what is missing above it; resolves with whether it was not there. Node's own `recursive` never
 * ends in a file system that makes none and says that there is nothing, such as /proc.
 */
export async function makeDirectory(directory: string, mode?: number): Promise<boolean> {
  try {
    return await makeOne(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
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
