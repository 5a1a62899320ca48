import type { Log } from '../log.ts';
import type { Capture } from '../modes/routing-plan.ts';
import { blockingRules } from './network-rules.ts';
import { planFor, resolversPast } from './applied-network.ts';
import type { Guard, GuardedName } from './guard.ts';
import { noNetworks, type NearbyNetworks } from '../network/nearby-networks.ts';
import type { Ports } from './ports/ports.ts';
import type { Connection } from './system-adapter.ts';

/** Refuses the traffic of a connection while there is no tunnel for it. */
export interface TrafficBlock {
  /**
   * Refuses what a connection captures, or everything if no connection is known. Resolves with whether that is in
   * force; if the packet filter cannot be loaded, the routing alone refuses everything. `afresh`: there may be unknown
   * rules.
   */
  block(connection: Connection | undefined, options?: { afresh?: boolean }): Promise<boolean>;
  /**
   * Refuses traffic with what is left when a part of the block cannot be restored. Resolves with whether the block is
   * complete.
   */
  compensate(
    missing: readonly GuardedName[],
    connection: Connection | undefined,
    networks?: NearbyNetworks,
  ): Promise<boolean>;
  /** What is blocked in addition to what the connection captures. */
  also: readonly Capture[];
}

export function createTrafficBlock(options: {
  ports: Pick<Ports, 'filter' | 'router' | 'uplink' | 'dns'>;
  guard: Pick<Guard, 'start' | 'ensure'>;
  log: Log;
}): TrafficBlock {
  const { guard, log } = options;
  const { filter, router, uplink, dns } = options.ports;

  async function attempt(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      log.error('traffic could not be blocked', error);
    }
  }

  /** What cannot be checked counts as not in force. */
  async function isInForce(name: GuardedName): Promise<boolean> {
    return guard.ensure(name).catch((error: unknown) => {
      log.error('the protection could not be looked after', error, { what: name });
      return false;
    });
  }

  async function captureOf(connection: Connection | undefined): Promise<Capture> {
    if (!connection) return { kind: 'everything', exceptLocalNetworks: false };
    return (await planFor(connection, () => uplink.attachedNetworks())).plan.capture;
  }

  async function rulesOf(connection: Connection | undefined, networks: NearbyNetworks) {
    const capture = await captureOf(connection);
    const outsideResolvers = await resolversPast(capture, dns).catch((error: unknown) => {
      log.error('the resolvers of this machine cannot be found', error);
      return [];
    });
    return blockingRules(connection, { capture, networks, also: trafficBlock.also, outsideResolvers });
  }

  const trafficBlock: TrafficBlock = {
    also: [],
    async block(connection, { afresh = false } = {}) {
      const networks = await uplink.nearbyNetworks().catch((error: unknown) => {
        log.error('the nearby networks cannot be found', error);
        return noNetworks;
      });
      const rules = await rulesOf(connection, networks);
      await attempt(() => filter.set(rules.filter));
      if (afresh) await attempt(() => router.clear());
      await attempt(() => router.set(rules.routing));
      guard.start();
      await isInForce('routing');
      if (await isInForce('packet-filter')) return true;
      await attempt(() => router.refuseAll());
      return await isInForce('routing');
    },
    async compensate(missing, connection, networks = noNetworks) {
      const [isFilterLost, isRoutingLost] = [missing.includes('packet-filter'), missing.includes('routing')];
      if (isFilterLost) await attempt(() => router.refuseAll());
      else if (isRoutingLost)
        await attempt(async () => filter.set((await rulesOf(connection, networks)).filter));
      return !isFilterLost && !isRoutingLost;
    },
  };
  return trafficBlock;
}
