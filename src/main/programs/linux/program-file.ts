import { access, constants, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Finds a program as a shell would, by its path or by its name on the PATH. Undefined if there is none that can be run.
 */
export async function findProgram(name: string, searchPath: string | undefined): Promise<string | undefined> {
  if (name.includes('/')) return path.isAbsolute(name) && (await isExecutable(name)) ? name : undefined;
  for (const directory of (searchPath ?? '/usr/local/bin:/usr/bin:/bin').split(':')) {
    const file = path.join(directory, name);
    if (path.isAbsolute(directory) && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** A file's path with all links resolved, or the given path if that fails. */
export const realFile = (file: string): Promise<string> => realpath(file).catch(() => file);

/** Whether the kernel passes the file to an interpreter (execve(2)). */
export async function beginsAsScript(program: string): Promise<boolean> {
  try {
    await using file = await open(program);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === '#!';
  } catch {
    return false;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
