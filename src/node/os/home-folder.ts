import { statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';

/**
 * This user's home. An empty or relative HOME, as some scripts and services leave it behind, would mean another folder
 * wherever a program is started, and that of whoever called sudo would not be this user's: then it is that of the
 * account. Throws for a user without an account, if there is no HOME either.
 */
export function homeFolder(): string {
  const given = homedir();
  return path.isAbsolute(given) && !isSudoCallers(given) ? given : userInfo().homedir;
}

/**
 * Whether this process is root by sudo, and the folder belongs to whoever called it: sudo keeps HOME on macOS, and
 * everywhere with -E. They could not change any more what root creates there.
 */
export function isSudoCallers(folder: string): boolean {
  const caller = process.env['SUDO_UID'];
  if (process.getuid?.() !== 0 || caller === undefined || caller === '0') return false;
  try {
    return statSync(folder).uid === Number(caller);
  } catch {
    return false;
  }
}
