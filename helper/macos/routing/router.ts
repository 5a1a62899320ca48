import type { Router } from '../../system/ports/router-port.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { TunnelRoutes } from './tunnel-routes.ts';

/** Routes in the system's one table, beside those of others. */
export function createRouter({ routes, monitor }: { routes: TunnelRoutes; monitor: NetworkMonitor }): Router {
  return {
    set: (rules) => routes.follow(rules),
    // The table is the one that decides: nothing can be put there in advance.
    prepare: () => Promise.resolve(),
    setPortal: (portal) => routes.letThrough(portal !== undefined),
    refuseAll: () => routes.follow('refuse'),
    verify: () => Promise.resolve().then(() => routes.verify()),
    restore: () => routes.restore(),
    isOverruled: () => Promise.resolve().then(() => routes.areOverruled()),
    watch: (onChange) => monitor.subscribe(onChange),
    clear: () => routes.clear(),
  };
}
