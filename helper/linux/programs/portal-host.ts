import { closeSync } from 'node:fs';
import type { Log } from '../../log.ts';
import type { PortalHost } from '../../system/ports/portal-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { Accounts } from '../callers/accounts.ts';
import { startProxyProgram } from '../../posix/proxy-program.ts';
import { ownProgramCommand } from './own-program-command.ts';
import { listenTcpAs, localPort } from './tcp-socket-as.ts';

/**
 * The portal's proxy is the program of mode pac, running as the engine's user, whose packets use the uplink. It uses
 * any free port, so that programs that still use mode pac's proxy do not find a way out there.
 */
export function createPortalHost(options: {
  accounts: Accounts;
  /** Gives the proxy's program, or throws if it may not be started. */
  script: () => string;
  log: Log;
}): PortalHost {
  const { accounts, script, log } = options;
  return {
    isSupported: () => true,
    async start(resolvers, onEnd) {
      const account = await accounts.engine();
      if (!account) throw new SystemChangeFailed('there is no user for the portal’s proxy');
      const file = script();
      const listener = listenTcpAs(account.uid, { address: '127.0.0.1', port: 0 });
      if (listener === undefined) throw new SystemChangeFailed('there is no port for the portal’s proxy');
      const port = localPort(listener);
      const program = startProxyProgram({
        account,
        command: ownProgramCommand,
        script: file,
        listener,
        onEnd,
        log,
      });
      // The program has it now.
      closeSync(listener);
      const stop = () => void program.process.kill('SIGKILL');
      try {
        await program.configure({
          resolvers: [...resolvers],
          families: { ipv4: true, ipv6: true },
          routeDomains: [],
          blockedDomains: [],
          directDomains: [],
          outlive: false,
        });
        return { port, stop };
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}
