import type { Log } from '../log.ts';
import type { Ports } from '../system/ports/ports.ts';
import type { MacosCalls } from './calls/macos-calls.ts';
import { createDynamicStoreDns } from './dns/dynamic-store-dns.ts';
import type { EnableToken } from './filter/enable-token.ts';
import type { FilterUsers } from './filter/filter-rules.ts';
import { createPacketFilter } from './filter/packet-filter.ts';
import type { CurrentDevice } from './routing/current-device.ts';
import { createNetworkMonitor } from './routing/network-monitor.ts';
import { createRouter } from './routing/router.ts';
import { createTunnelDevice } from './routing/tunnel-device.ts';
import { createTunnelRoutes } from './routing/tunnel-routes.ts';
import { createUplink } from './routing/uplink.ts';

/** The ports that change the network: all of them share one device and one set of routes. */
export function createNetworkPorts(parts: {
  calls: MacosCalls;
  users: () => Promise<FilterUsers>;
  token: EnableToken;
  log: Log;
}): Pick<Ports, 'device' | 'router' | 'filter' | 'dns' | 'uplink' | 'connections' | 'filterOutlastsReboot'> {
  const { calls, users, token, log } = parts;
  const current: CurrentDevice = { name: undefined };
  const monitor = createNetworkMonitor(calls.routes, log);
  const routes = createTunnelRoutes(calls.routes);
  return {
    device: createTunnelDevice({
      openSocket: () => calls.openUtunSocket(),
      descriptors: calls.descriptors,
      interfaces: calls.interfaces,
      routes,
      current,
      monitor,
      openEcho: (own) => calls.openEcho(own),
    }),
    router: createRouter({ routes, monitor }),
    filter: createPacketFilter({ calls: calls.filter, token, users, device: () => current.name, log }),
    dns: createDynamicStoreDns(calls.store),
    uplink: createUplink({ interfaces: calls.interfaces, routes: calls.routes, current, monitor }),
    // The system has no call that ends others' connections: what they send from an address that is gone is refused.
    connections: { end: () => Promise.resolve() },
    // pf(4) starts empty.
    filterOutlastsReboot: false,
  };
}
