import type { Log } from '../log.ts';
import type { PortalHost } from '../system/ports.ts';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { Accounts } from './accounts.ts';
import { startProxyProgram } from './proxy-program.ts';

/**
 * The portal's proxy is the program of mode pac, as the engine's user, whose packets take the uplink. On any free port:
 * whoever is still sent to mode pac's proxy is not to find a way out there.
 */
export function createPortalHost(options: { accounts: Accounts; script: string; log: Log }): PortalHost {
  const { accounts, script, log } = options;
  return {
    async start(resolvers, onEnd) {
      const account = await accounts.engine();
      if (!account) throw new SystemChangeFailed('there is no user for the portal’s proxy');
      const program = startProxyProgram({ account, script, port: 0, onEnd, log });
      const stop = () => void program.process.kill('SIGKILL');
      try {
        const { port } = await program.configure({
          resolvers: [...resolvers],
          families: { ipv4: true, ipv6: true },
          routeDomains: [],
          blockedDomains: [],
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
