import { homedir, userInfo } from 'node:os';
import path from 'node:path';

/**
 * This user's home. An empty or relative HOME, as some scripts and services leave it behind, would mean another folder
 * wherever a program is started: then it is that of the account. Throws for a user without an account, if there is no
 * HOME either.
 */
export function homeFolder(): string {
  const given = homedir();
  return path.isAbsolute(given) ? given : userInfo().homedir;
}
