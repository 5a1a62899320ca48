import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Copies a package to the folder `pool`. Throws if another package of that name, so of that version, is there already:
 * who has it would never get this one.
 */
export async function addToPool(file: string, pool: string): Promise<string> {
  const name = path.basename(file);
  const to = path.join(pool, name);
  const there = await readFile(to).catch(() => undefined);
  if (there && !there.equals(await readFile(file)))
    throw new Error(`${name} has been published already with other content: publish a new version`);
  await mkdir(pool, { recursive: true });
  if (!there) await copyFile(file, to);
  return to;
}
