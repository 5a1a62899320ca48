import type { Log } from '../log.ts';
import type { Ports } from '../system/ports/ports.ts';
import type { Luid } from './calls/ip-helper.ts';
import type { WindowsCalls } from './calls/windows-calls.ts';
import { createWindowsDns } from './dns/dns.ts';
import type { ProgramIdentity } from './filter/conditions.ts';
import { createPacketFilter } from './filter/packet-filter.ts';
import { createNetworkMonitor } from './routing/network-monitor.ts';
import { createRouter } from './routing/router.ts';
import { createUplink } from './routing/uplink.ts';

/** The ports that change the machine's network. `tunnel`: the interface of the tunnel's adapter, while there is one. */
export function createNetworkPorts(parts: {
  calls: WindowsCalls;
  programs: { engine: ProgramIdentity; proxy: ProgramIdentity };
  tunnel: () => Luid | undefined;
  log: Log;
}): Pick<Ports, 'router' | 'filter' | 'dns' | 'uplink' | 'filterOutlastsReboot'> {
  const { calls, programs, tunnel, log } = parts;
  const { ipHelper, filtering } = calls;
  const monitor = createNetworkMonitor(ipHelper);
  return {
    router: createRouter({ ipHelper, tunnel, monitor, log }),
    filter: createPacketFilter({
      filtering,
      surroundings: () => ({ ...programs, tunnel: tunnel() }),
      log,
    }),
    dns: createWindowsDns({ ...calls, tunnel }),
    uplink: createUplink({ ipHelper, tunnel, monitor }),
    filterOutlastsReboot: true,
  };
}
