import type { Log } from '../../log.ts';
import { findProgram } from '../../posix/command.ts';
import type { ProxySystem } from '../../posix/proxy-process.ts';
import type { ProxyCommand } from '../../posix/proxy-program.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { killProcessesOf } from '../groups/user-processes.ts';
import { openProxyListener } from './proxy-listener.ts';

/** Routing rules and the packet filter tell the proxy's packets apart by its user. */
export const linuxProxy = (log: Log): ProxySystem => ({
  command: proxyCommand,
  openListener: ({ uid }) => openProxyListener(uid, log),
  endProcessesOf: ({ uid }) => killProcessesOf(uid),
  bindsSources: false,
});

export const proxyCommand: ProxyCommand = (nodeArguments) => {
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
};
