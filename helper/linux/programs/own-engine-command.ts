import { findProgram } from '../../posix/command.ts';
import { engineArguments, engineEnvironment } from '../../posix/engine-arguments.ts';
import type { UnprivilegedCommand } from '../../system/ports/engine-host-port.ts';
import type { Account } from '../callers/accounts.ts';

/**
 * How to run our own engine. It is a program of ours, so it is read as root, and becomes `account` for good before it
 * reads anything else.
 */
export function ownEngineCommand({ uid, gid }: Account, script: string): UnprivilegedCommand {
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) throw new Error('setpriv is not installed');
  return {
    file: setpriv,
    args: [
      '--no-new-privs',
      // Capabilities for becoming that user, and for reading its program before that.
      '--bounding-set=-all,+setuid,+setgid,+dac_read_search',
      '--inh-caps=-all',
      '--',
      process.execPath,
      ...engineArguments(script, { uid, gid }),
    ],
    environment: engineEnvironment(),
  };
}
