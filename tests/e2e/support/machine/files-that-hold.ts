import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The files below a folder in which a text stands as it is. For an app that has ended: a running one replaces files.
 */
export async function filesThatHold(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const holds = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_, index) => holds[index]);
}
