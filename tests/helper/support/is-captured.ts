import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';

/** Hosts that are asked who they see; each of both IP versions. */
export const hosts = ['echo', 'direct', 'neighbour'] as const;
export type Host = (typeof hosts)[number] | 'resolver';

/** Whether packets to a host belong in the tunnel; `inGroup`: of the owner's group of programs. */
export function isCaptured(routing: Routing, host: Host, inGroup: boolean): boolean {
  switch (routing.mode) {
    case 'global':
      return !(host === 'neighbour' && routing.localNetwork);
    case 'pac':
      // What is sent to the proxy belongs there, and nothing else.
      return false;
    case 'ip': {
      if (host === 'neighbour' && routing.localNetwork) return false;
      const isListed = routing.routeIps.includes(`${addresses[host].ipv4}/32`);
      return isListed === (routing.policy === 'include');
    }
    case 'app':
      return inGroup === (routing.policy === 'include') && !(host === 'neighbour' && routing.localNetwork);
    default:
      return routing satisfies never;
  }
}
