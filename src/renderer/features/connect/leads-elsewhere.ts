import type { Server } from '#shared/entities.ts';
import { isServerAt } from '#shared/plan/usable-group.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** Whether this user has a tunnel, or is about to have one, and it leads to another server than this one. */
export const leadsElsewhere = (
  state: TunnelState | undefined,
  server: Pick<Server, 'domain' | 'port' | 'path'>,
): boolean =>
  (state?.state === 'connecting' || state?.state === 'connected') &&
  !state.ownedByOther &&
  !isServerAt(server, state.gateway);
