import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');

/**
 * The time that everything in packages has, in seconds since 1970: that of the commit they are made from, or the one
 * that is given (https://reproducible-builds.org/specs/source-date-epoch/).
 */
export async function commitTime(env: NodeJS.ProcessEnv): Promise<number> {
  const given = env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && !/^\d{1,11}$/.test(given))
    throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${given}`);
  if (given !== undefined) return Number(given);
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%ct'], { cwd: root });
  return Number(stdout);
}
