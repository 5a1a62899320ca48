import type { DisconnectReason } from '#shared/tunnel/state.ts';

/** A change of the system that failed for a reason that the user may see. */
export class SystemChangeFailed extends Error {
  override name = 'SystemChangeFailed';
  readonly reason: DisconnectReason = 'configuration-failed';
}

/** Neither the new routing mode nor the earlier one could be put in force; only `release` is possible. */
export class RoutingLost extends SystemChangeFailed {
  override name = 'RoutingLost';
}
