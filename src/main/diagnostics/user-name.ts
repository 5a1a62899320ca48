import os from 'node:os';

/**
 * This user's name. If the system does not know the account, as while the server of a directory cannot be reached, it
 * is what the environment says; empty if that says nothing.
 */
export function userName(env: Readonly<NodeJS.ProcessEnv>): string {
  try {
    return os.userInfo().username;
  } catch {
    return env['LOGNAME'] ?? env['USER'] ?? '';
  }
}
