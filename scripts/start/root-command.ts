import path from 'node:path';

/** Where sudo looks for programs, whatever the user's PATH says (Debian's /etc/sudoers, `secure_path`). */
const pathOfSudo = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * `npm start` as root, with these settings, in a form that works in the current shell: sudo only passes on variables
 * that follow it, and finds a Node in a home directory, where nvm installs it, only if it is told the path.
 */
export function startAsRoot(environment: NodeJS.ProcessEnv, settings: readonly string[] = []): string {
  const node = environment['npm_node_execpath'];
  const isFoundBySudo = node === undefined || pathOfSudo.includes(path.dirname(node));
  return ['sudo', ...(isFoundBySudo ? [] : ['env "PATH=$PATH"']), ...settings, 'npm start'].join(' ');
}

/** The prefix for commands that need root; empty in root's own shell, where sudo may not be installed. */
export const sudo = (environment: NodeJS.ProcessEnv) =>
  process.getuid?.() === 0 && environment['SUDO_UID'] === undefined ? '' : 'sudo ';
