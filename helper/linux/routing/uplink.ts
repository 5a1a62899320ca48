import { existsSync, readFileSync } from 'node:fs';
import type { Uplink } from '../../system/ports/uplink-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import { attachedNetworks } from './attached-networks.ts';
import type { RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { findWay } from '../netlink/netlink-way.ts';
import { createNetworkSearch } from './network-search.ts';
import type { NetworkMonitor } from './network-monitor.ts';

export const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

/**
 * Whether the tunnel's device accepts IPv6 addresses: many administrators switch IPv6 off for all devices, while IPv6
 * rules still exist (Linux, Documentation/networking/ip-sysctl.rst, disable_ipv6).
 */
export function isIpv6Enabled(): boolean {
  try {
    return readFileSync(`/proc/sys/net/ipv6/conf/${tunnelDevice}/disable_ipv6`, 'utf8').trim() === '0';
  } catch {
    return false;
  }
}

/** The machine's network outside the tunnel, as the kernel tells it. */
export function createUplink(parts: {
  run: RunCommand;
  accounts: Accounts;
  monitor: NetworkMonitor;
}): Uplink {
  const { run, accounts, monitor } = parts;
  return {
    hasIpv6: isIpv6Enabled,
    watch: (onChange) => monitor.subscribe(onChange),
    attachedNetworks,

    /** Next hop, device and source. */
    async routeTo(address) {
      const engine = await accounts.engine();
      const way = await findWay(address, engine?.uid);
      if (!way || way.device === tunnelDevice) return undefined;
      return [way.gateway ?? 'direct', way.device, way.source ?? ''].join(' ');
    },

    nearbyNetworks: createNetworkSearch(run),
  };
}
