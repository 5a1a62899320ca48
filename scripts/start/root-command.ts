import path from 'node:path';

/** Where sudo looks for programs, whatever the user's PATH says (Debian's /etc/sudoers, `secure_path`). */
const pathOfSudo = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * `npm start` as root, with these settings, as it works in the shell that this was started from: sudo hands on only what is
 * set behind it, and finds a Node in somebody's home, where nvm has it, only if it is told where.
 */
export function startAsRoot(environment: NodeJS.ProcessEnv, settings: readonly string[] = []): string {
  const node = environment['npm_node_execpath'];
  const isFoundBySudo = node === undefined || pathOfSudo.includes(path.dirname(node));
  return ['sudo', ...(isFoundBySudo ? [] : ['env "PATH=$PATH"']), ...settings, 'npm start'].join(' ');
}

/** What is written before a command for root: nothing in root's own shell, where there may be no sudo at all. */
export const sudo = (environment: NodeJS.ProcessEnv) =>
  process.getuid?.() === 0 && environment['SUDO_UID'] === undefined ? '' : 'sudo ';
