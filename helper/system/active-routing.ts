import type { ActiveRouting } from '#shared/tunnel/state.ts';
import { namedNetworks } from '../modes/split.ts';
import type { AppliedNetwork } from './applied-network.ts';

/** How packets are routed, for users. */
export function activeRoutingOf(applied: AppliedNetwork | undefined): ActiveRouting {
  const routing = applied?.connection.routing ?? { mode: 'global', localNetwork: false };
  switch (routing.mode) {
    case 'app':
      return { mode: 'app', policy: routing.policy };
    case 'ip':
      return { mode: 'ip', policy: routing.policy, prefixes: routing.routeIps.length };
    case 'global':
      return applied?.split
        ? namedNetworks(applied.split)
        : { mode: 'global', localNetwork: routing.localNetwork };
    case 'pac': {
      const listening = applied?.proxy?.listening;
      if (!listening) return { mode: 'pac' };
      return { mode: 'pac', proxy: { address: listening.address, pacUrl: listening.pacUrl } };
    }
    default:
      return routing satisfies never;
  }
}
