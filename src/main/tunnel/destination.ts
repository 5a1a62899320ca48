import type { ServerMark } from '#shared/plan/gateway-entitlement.ts';
import type { SignInPlace } from '#shared/plan/usable-group.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { GatewayMemory } from '../gateway/gateway-memory.ts';
import type { AccountPlan } from './account-plan.ts';

/** Where a tunnel is to lead, from the click to the helper: a server, as the service lists it. */
export interface Destination extends Readonly<Record<ServerMark, boolean>> {
  /** The gateway that is asked: the server's own, or the one that it redirected to. */
  gateway: Gateway;
  /**
   * The server's own, by which the user and the service know it; with the path, if servers share it that differ in
   * that.
   */
  listed: SignInPlace;
}

/** The destination that has this gateway; without a redirect, it is the listed one. */
export type DestinationOf = (gateway: Gateway) => Destination;

export interface DestinationsOptions {
  memory: Pick<GatewayMemory, 'listed' | 'path'>;
  plan: Pick<AccountPlan, 'isMarked' | 'isSharedByPath'>;
}

export function createDestinations({ memory, plan }: DestinationsOptions): DestinationOf {
  return ({ host, port }) => {
    const gateway = { host, port };
    const listed = memory.listed(gateway);
    const path = memory.path(listed);
    return {
      gateway,
      listed: plan.isSharedByPath(listed) ? { ...listed, path } : listed,
      split: plan.isMarked('split', listed, path),
      incoming: plan.isMarked('incoming', listed, path),
    };
  };
}
