import type { Log } from '../../log.ts';
import type { ProxySystem } from '../../posix/proxy-process.ts';
import { killProcessesOf } from './end-processes.ts';
import { ownProgramCommand } from './own-program-command.ts';
import { openProxyListener } from './proxy-listener.ts';

/** Routing rules and the packet filter tell the proxy's packets apart by its user. */
export const linuxProxy = (log: Log): ProxySystem => ({
  command: ownProgramCommand,
  openListener: ({ uid }) => openProxyListener(uid, log),
  endProcessesOf: ({ uid }) => killProcessesOf(uid),
  bindsSources: false,
});
