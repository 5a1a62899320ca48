import { readFile, stat } from 'node:fs/promises';

/**
 * The content of a regular file of at most this many bytes; undefined if it is longer, cannot be read, or is not a
 * regular file.
 */
export async function readBounded(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    // Reading a pipe would wait for ever.
    const found = await stat(file);
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const bytes = await readFile(file);
    return bytes.length > maxBytes ? undefined : bytes;
  } catch {
    return undefined;
  }
}
