import type { UnprivilegedCommand } from '../../system/ports/engine-host-port.ts';
import type { Account } from '../callers/accounts.ts';
import { findProgram } from '../../posix/command.ts';

/** How to run a program as `account`, without any way back to privileges; throws if it is not installed. */
export function unprivilegedCommand(
  account: Account,
  program: string,
  args: readonly string[],
): UnprivilegedCommand {
  const [setpriv, file] = [findProgram('setpriv'), findProgram(program)];
  if (setpriv === undefined || file === undefined) throw new Error(`${program} cannot be run`);
  return {
    file: setpriv,
    args: [
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--ambient-caps=-all',
      '--no-new-privs',
      // The engine ends with the helper, however that ends.
      '--pdeathsig=KILL',
      '--',
      file,
      ...args,
    ],
    environment: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  };
}
