import { findProgram } from '../../posix/command.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';

/**
 * How to run a program of ours that becomes another user: it is read as root, and gives up its rights for good before
 * it reads anything else. Throws if this system cannot.
 */
export function ownProgramCommand(nodeArguments: readonly string[]): { file: string; args: string[] } {
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) throw new SystemChangeFailed('setpriv is not installed');
  return {
    file: setpriv,
    args: [
      '--no-new-privs',
      // Capabilities for becoming that user, and for reading its program before that.
      '--bounding-set=-all,+setuid,+setgid,+dac_read_search',
      '--inh-caps=-all',
      '--',
      process.execPath,
      ...nodeArguments,
    ],
  };
}
