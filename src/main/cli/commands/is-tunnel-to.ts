import type { UsableServer } from '#shared/control/contract.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * Whether this user has, or is about to have, a tunnel to this server; several servers may share a host, or a gateway.
 */
export function isTunnelTo({ address }: Pick<UsableServer, 'address'>, state: TunnelState): boolean {
  const server = parseServerAddress(address);
  if (!server || !('gateway' in state) || state.ownedByOther) return false;
  const { host, port, path = server.path } = state.gateway;
  return host === server.gateway.host && port === server.gateway.port && path === server.path;
}
