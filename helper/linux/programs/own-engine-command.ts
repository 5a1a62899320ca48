import { dataPathVariable } from '../../posix/data-path-variable.ts';
import { findProgram, programEnvironment } from '../../posix/command.ts';
import type { UnprivilegedCommand } from '../../system/ports/engine-host-port.ts';
import type { Account } from '../callers/accounts.ts';

/** In MB. Packets are not in this heap; what is there lives briefly. */
const nodeArguments = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/**
 * How to run our own engine. It is a program of ours, so it is read as root, and becomes `account` for good before it
 * reads anything else.
 */
export function ownEngineCommand({ uid, gid }: Account, script: string): UnprivilegedCommand {
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) throw new Error('setpriv is not installed');
  const limits = process.env[dataPathVariable];
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
      script,
      `--uid=${uid}`,
      `--gid=${gid}`,
    ],
    environment: {
      ...programEnvironment,
      ...(limits !== undefined && { [dataPathVariable]: limits }),
    },
  };
}
