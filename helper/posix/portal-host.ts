import { closeSync } from 'node:fs';
import type { Log } from '../log.ts';
import { startPortalProxy } from '../proxy-host/portal-proxy.ts';
import type { PortalHost } from '../system/ports/portal-port.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import type { ProgramAccount } from './become-user.ts';
import { spawnProxy, type ProxyCommand } from './spawn-proxy.ts';

/**
 * The portal's proxy runs as the engine's user, whose packets use the uplink. It uses any free port, so that programs
 * that still use mode pac's proxy do not find a way out there.
 */
export function createPortalHost(options: {
  engine: () => Promise<ProgramAccount | undefined>;
  command: ProxyCommand;
  /** A socket of that user that listens on 127.0.0.1; undefined if there is no port for one. */
  openListener: (uid: number) => { port: number; descriptor: number } | undefined;
  /** Gives the proxy's program, or throws if it may not be started. */
  script: () => string;
  log: Log;
}): PortalHost {
  const { engine, command, openListener, script, log } = options;
  return {
    isSupported: () => true,
    async start(resolvers, onEnd) {
      const account = await engine();
      if (!account) throw new SystemChangeFailed('there is no user for the portal’s proxy');
      const file = script();
      const listener = openListener(account.uid);
      if (listener === undefined) throw new SystemChangeFailed('there is no port for the portal’s proxy');
      const { port, descriptor } = listener;
      const start = () => {
        const started = spawnProxy({ account, command, script: file, listener: descriptor });
        // The program has it now.
        closeSync(descriptor);
        return started;
      };
      return { port, ...(await startPortalProxy({ start, resolvers, onEnd, log })) };
    },
  };
}
