import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const maxOutputBytes = 64 * 1024 * 1024;

/**
 * What a program prints to standard output. Throws with what it printed to standard error if it fails, and with what to
 * install if there is no such program.
 */
export async function run(
  program: string,
  words: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      maxBuffer: maxOutputBytes,
      ...options,
      env: { ...process.env, LC_ALL: 'C.UTF-8', ...options.env },
    });
    return stdout;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT')
      throw new Error(`${program} is not installed`, { cause: error });
    const said = 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`${program} failed: ${said || error.message}`, { cause: error });
  }
}
