import type { UsableServer } from '#shared/control/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** Whether this user has, or is about to have, a tunnel to this server. */
export const isTunnelTo = ({ host }: Pick<UsableServer, 'address' | 'host'>, state: TunnelState): boolean =>
  'gateway' in state && !state.ownedByOther && state.gateway.host === host;
