import type { AppliedNetwork } from './applied-network.ts';
import { isCaptured } from './captured-prefixes.ts';

/** The resolvers that programs should use according to the network's plan; empty if they stay the same. */
export function askedServers({ plan, split, configuration }: AppliedNetwork): string[] {
  const servers = configuration?.dns.servers ?? [];
  if (plan.resolvers !== 'captured') return servers;
  return split ? servers.filter((server) => isCaptured(server, split)) : [];
}
