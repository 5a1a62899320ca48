import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod/mini';
import type { Uplink } from '../../system/ports/uplink-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import { attachedNetworks } from './attached-networks.ts';
import type { RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { createNetworkSearch } from './nearby-networks.ts';
import type { NetworkMonitor } from './network-monitor.ts';

const routeList = z.array(
  z.object({
    dev: z.optional(z.string()),
    gateway: z.optional(z.string()),
    prefsrc: z.optional(z.string()),
  }),
);

export const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

/**
 * Whether the tunnel's device accepts IPv6 addresses: many administrators switch IPv6 off for all devices, while IPv6
 * rules still exist (Linux, Documentation/networking/ip-sysctl.rst, disable_ipv6).
 */
function isIpv6Enabled(): boolean {
  try {
    return readFileSync(`/proc/sys/net/ipv6/conf/${tunnelDevice}/disable_ipv6`, 'utf8').trim() === '0';
  } catch {
    return false;
  }
}

/** The main table, as ip(8) reports it. */
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
      const asEngine = engine ? ['uid', String(engine.uid)] : [];
      const { status, stdout } = await run('ip', ['-j', 'route', 'get', address, ...asEngine]);
      if (status !== 0) return undefined;
      const [route] = routeList.parse(JSON.parse(stdout));
      if (route?.dev === undefined || route.dev === tunnelDevice) return undefined;
      return [route.gateway ?? 'direct', route.dev, route.prefsrc ?? ''].join(' ');
    },

    nearbyNetworks: createNetworkSearch(run),
  };
}
