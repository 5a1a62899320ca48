import { readFile, stat } from 'node:fs/promises';

/** What is in a regular file of at most so many bytes; undefined if it is longer, cannot be read, or is no such file. */
export async function readBounded(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    // A pipe would have its reader wait for ever.
    const found = await stat(file);
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const bytes = await readFile(file);
    return bytes.length > maxBytes ? undefined : bytes;
  } catch {
    return undefined;
  }
}
