import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, lutimes, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Dirent } from 'node:fs';

/** Everything below a folder, folders before what is in them, in an order that no system's settings change. */
export async function entriesOf(tree: string): Promise<{ file: string; entry: Dirent }[]> {
  const entries = await readdir(tree, { withFileTypes: true, recursive: true });
  return entries
    .map((entry) => ({ file: path.relative(tree, path.join(entry.parentPath, entry.name)), entry }))
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

/**
 * Gives everything the modes that packages have, and one time (in s), whoever made it and when: files are read by all,
 * and run by all if their owner may run them.
 */
export async function settle(tree: string, time: number): Promise<void> {
  const entries = await entriesOf(tree);
  for (const { file, entry } of entries) {
    const place = path.join(tree, file);
    if (entry.isDirectory()) await chmod(place, 0o755);
    else if (entry.isFile()) await chmod(place, (await stat(place)).mode & 0o100 ? 0o755 : 0o644);
  }
  await chmod(tree, 0o755);
  // Folders last: what is put into them changes theirs.
  for (const { file } of entries.toReversed()) await lutimes(path.join(tree, file), time, time);
  await lutimes(tree, time, time);
}

/** In hexadecimal digits. */
export async function hashOf(file: string, algorithm: 'md5' | 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Copies a file to its place, with the folders that lead there. */
export async function lay(from: string, to: string, mode = 0o644): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(from, to);
  await chmod(to, mode);
}

export async function write(to: string, text: string | Buffer, mode = 0o644): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await writeFile(to, text, { mode });
}
