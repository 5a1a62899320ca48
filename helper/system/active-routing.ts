import type { ActiveRouting } from '#shared/tunnel/state.ts';
import { namedNetworks } from '../modes/split.ts';
import type { AppliedNetwork } from './applied-network.ts';

/** How packets are routed, for users. */
export function activeRoutingOf(applied: AppliedNetwork | undefined): ActiveRouting {
  const routing = applied?.connection.routing ?? { mode: 'global', localNetwork: false };
  if (routing.mode === 'app') return { mode: 'app', policy: routing.policy };
  if (routing.mode === 'ip') return { mode: 'ip', policy: routing.policy, prefixes: routing.routeIps.length };
  if (routing.mode === 'global') {
    return applied?.split
      ? namedNetworks(applied.split)
      : { mode: 'global', localNetwork: routing.localNetwork };
  }
  const listening = applied?.proxy?.listening;
  if (!listening) return { mode: 'pac' };
  return { mode: 'pac', proxy: { address: listening.address, pacUrl: listening.pacUrl } };
}
