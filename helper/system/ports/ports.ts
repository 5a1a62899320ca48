import type { DnsPort } from './dns-port.ts';
import type { EngineHost } from './engine-host-port.ts';
import type { PacketFilter } from './packet-filter-port.ts';
import type { PortalHost } from './portal-port.ts';
import type { GroupHost } from './program-groups-port.ts';
import type { ProxyHost } from './proxy-host-port.ts';
import type { Router } from './router-port.ts';
import type { TunnelConnections } from './tunnel-connections-port.ts';
import type { TunnelDevice } from './tunnel-device-port.ts';
import type { Uplink } from './uplink-port.ts';

/**
 * What a system must support for a tunnel. Each port is told the wanted state rather than what to change, and remembers
 * what it was last told. The coordinator decides the order.
 */
export interface Ports {
  device: TunnelDevice;
  router: Router;
  filter: PacketFilter;
  dns: DnsPort;
  uplink: Uplink;
  connections: TunnelConnections;
  engines: EngineHost;
  proxies: ProxyHost;
  portals: PortalHost;
  groups: GroupHost;
  /** Whether a filter can outlast a reboot, and so the journal that says what it is for. */
  filterOutlastsReboot: boolean;
  /** Whether this system supports tunnels at all. */
  isSupported(): boolean;
  /**
   * Whether this system lacks the functions that change it, so that nothing of ours can be set that no journal
   * mentions.
   */
  neverSet?: boolean;
}
