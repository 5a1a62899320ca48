import type { Log } from '../log.ts';
import type { PacketFilter } from './ports/packet-filter-port.ts';
import type { PortalHost } from './ports/portal-port.ts';
import type { Router } from './ports/router-port.ts';
import type { OpenPortal } from './system-adapter.ts';

/** The limited access to a captive portal while everything else is blocked. One call at a time. */
export interface PortalAccess {
  /** Replaces one that is open. */
  open(options: { client: string; forMs: number; resolvers: readonly string[] }): Promise<OpenPortal>;
  /** Never rejects; does nothing if none is open. */
  close(): Promise<void>;
}

export function createPortalAccess(options: {
  host: PortalHost;
  filter: Pick<PacketFilter, 'setPortal'>;
  router: Pick<Router, 'setPortal'>;
  /** Runs a task when no other change of the system is in progress. */
  enqueue: (task: () => Promise<void>) => Promise<void>;
  log: Log;
}): PortalAccess {
  const { host, filter, router, enqueue, log } = options;
  let open: { stop: () => void; timer: NodeJS.Timeout } | undefined;

  async function close(): Promise<void> {
    if (!open) return;
    clearTimeout(open.timer);
    open.stop();
    open = undefined;
    await router
      .setPortal(undefined)
      .catch((error: unknown) => log.error('the way to the portal stays in the routing', error));
    // What stays of it in the filter expires by itself.
    await filter
      .setPortal(undefined)
      .catch((error: unknown) => log.error('the way to the portal stays in the packet filter', error));
    log.info('the way to the portal is closed');
  }

  return {
    close,
    async open({ client, forMs, resolvers }) {
      await close();
      const until = performance.now() + forMs;
      let mine: typeof open;
      const closeThis = () =>
        void enqueue(async () => {
          if (mine && mine === open) await close();
        });
      const { port, stop } = await host.start(resolvers, closeThis);
      mine = { stop, timer: setTimeout(closeThis, forMs) };
      open = mine;
      try {
        await filter.setPortal({ proxyPort: port, client, resolvers, until });
        await router.setPortal({ resolvers });
      } catch (error) {
        await close();
        throw error;
      }
      log.info('the way to the portal is open', { client });
      return { proxyPort: port };
    },
  };
}
