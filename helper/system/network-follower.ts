import { isDeepStrictEqual } from 'node:util';
import { pauseAfter } from '#shared/back-off.ts';
import type { Log } from '../log.ts';
import { filterRulesOf, routingRulesOf } from './network-rules.ts';
import { planFor, resolversPast, type AppliedNetwork } from './applied-network.ts';
import type { Ports } from './ports/ports.ts';
import { RoutingLost } from './ports/system-change-failed.ts';
import type { Connection } from './system-adapter.ts';
import type { TunnelDns } from './tunnel-dns.ts';
import type { RoutingSwitch } from './routing-switch.ts';

/** A change that could not be followed is tried again after these pauses, in milliseconds. */
const backOff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** After so many attempts in a row, what is lost stays lost. */
const maxAttempts = 3;

/** Keeps the setup in line with the machine's other networks. */
export interface NetworkFollower {
  /** Read while the engine is busy, and needed once it has a tunnel. */
  attachedNetworks(): Promise<string[]>;
  /**
   * Captures what a connection wants with the current attached networks, and remembers it. True if that has changed:
   * then a filter is in force that keeps the earlier promise, too. If it rejects, all of that is as before.
   */
  replan(current: AppliedNetwork, connection: Connection): Promise<boolean>;
  /**
   * Follows changes by others. Calls back when the route to an address changes, with whether there is one, for each
   * such address. Returns a function that ends the watch.
   */
  watch(
    addresses: () => readonly string[],
    onChange: (isReachable: ReadonlyMap<string, boolean>) => void,
  ): () => void;
  /** Looks at once, as if the network had changed; does nothing while it is not watched. */
  look(): void;
}

export function createNetworkFollower(options: {
  ports: Pick<Ports, 'router' | 'filter' | 'uplink' | 'dns'>;
  dns: TunnelDns;
  routingSwitch: RoutingSwitch;
  /** Runs a task on the current setup, if there is one, when no other change of the system is in progress. */
  enqueue: (task: (current: AppliedNetwork) => Promise<unknown>) => Promise<unknown>;
  /** Called when neither what a change of the network requires nor what was before it can be put in force. */
  onLost: () => void;
  log: Log;
}): NetworkFollower {
  const { dns, routingSwitch, enqueue, onLost, log } = options;
  const { router, filter, uplink } = options.ports;

  function attachedNetworks(): Promise<string[]> {
    const found = uplink.attachedNetworks();
    found.catch(() => undefined);
    return found;
  }

  async function replan(current: AppliedNetwork, connection: Connection): Promise<boolean> {
    const { pushedRoutes } = connection;
    const wanted = await planFor(connection, () => current.attachedNetworks);
    const isNamed = !isDeepStrictEqual(pushedRoutes, current.connection.pushedRoutes);
    const isReplanned = !isDeepStrictEqual(wanted.split, current.split);
    if (isNamed && connection.split && pushedRoutes && !wanted.split)
      log.info('everything goes through the tunnel', { exceptions: pushedRoutes.excludes.length });
    const { plan, split } = isReplanned ? wanted : current;
    const {
      connection: named,
      outsideResolvers,
      alsoRefused,
    } = await routingSwitch.recapture(current, {
      connection: isNamed ? { ...current.connection, pushedRoutes } : current.connection,
      plan,
      split,
    });
    Object.assign(current, { connection: named, plan, split, outsideResolvers, alsoRefused });
    return isReplanned;
  }

  /** A group of programs that goes past the tunnel uses the machine's own resolvers. */
  async function followDns(current: AppliedNetwork): Promise<void> {
    await dns.follow(current);
    const outsideResolvers = await resolversPast(current.plan.capture, options.ports.dns);
    if (isDeepStrictEqual(outsideResolvers, current.outsideResolvers)) return;
    current.outsideResolvers = outsideResolvers;
    await filter.set(filterRulesOf(current));
  }

  /** Follows the nearby networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: AppliedNetwork): Promise<void> {
    current.attachedNetworks = attachedNetworks();
    await dns.follow(current);
    await replan(current, current.connection);
    // Also where nothing of it has changed: whether this machine forwards packets is the filter's to look up.
    await filter.set(filterRulesOf(current));
    const nearby = {
      networks: await uplink.nearbyNetworks(),
      outsideResolvers: await resolversPast(current.plan.capture, options.ports.dns),
    };
    const { networks, outsideResolvers } = current;
    if (isDeepStrictEqual(nearby, { networks, outsideResolvers })) return;
    await filter.set(filterRulesOf({ ...current, ...nearby }));
    await router.set(routingRulesOf({ ...current, ...nearby }));
    Object.assign(current, nearby);
  }

  /** Follows the network now, and again until that succeeds. */
  function createFollowing() {
    const failed = { times: 0, isLost: false };
    let retry: NodeJS.Timeout | undefined;
    let isOver = false;
    function failedWith(error: unknown): void {
      failed.times += 1;
      failed.isLost ||= error instanceof RoutingLost;
      log.error('a change of the network could not be followed', error, { times: failed.times });
      if (isOver) return;
      if (failed.isLost && failed.times >= maxAttempts) return onLost();
      clearTimeout(retry);
      retry = setTimeout(() => void now(), pauseAfter(failed.times, backOff)).unref();
    }
    /** Resolves also if that fails. */
    async function now(): Promise<void> {
      try {
        await enqueue(follow);
        Object.assign(failed, { times: 0, isLost: false });
      } catch (error) {
        failedWith(error);
      }
    }
    const end = () => {
      isOver = true;
      clearTimeout(retry);
    };
    return { now, end };
  }

  let look: () => void = () => undefined;

  return {
    attachedNetworks,
    replan,
    look: () => look(),
    watch(addresses, onChange) {
      const routes = async () => {
        const found = addresses().map(async (address) => [address, await uplink.routeTo(address)] as const);
        return new Map(await Promise.all(found));
      };
      let last = routes();
      const following = createFollowing();
      const stopDnsWatch = dns.watch(() => {
        void enqueue((current) => followDns(current)).catch((error: unknown) =>
          log.error('a change of the DNS settings could not be followed', error),
        );
      });
      const mine = () => {
        const before = last;
        last = routes();
        void Promise.all([before, last, following.now()])
          .then(([old, now]) => {
            const changed = new Map<string, boolean>();
            for (const [address, to] of now) {
              const from = old.get(address);
              // One that has just become known is no change.
              if (!old.has(address) || from === to) continue;
              log.info('the way to the gateway has changed', {
                address,
                from: from ?? 'none',
                to: to ?? 'none',
              });
              changed.set(address, to !== undefined);
            }
            if (changed.size > 0) onChange(changed);
          })
          .catch((error: unknown) => log.error('the way to the gateway cannot be looked up', error));
      };
      look = mine;
      const stopNetworkWatch = uplink.watch(mine);
      return () => {
        if (look === mine) look = () => undefined;
        following.end();
        stopDnsWatch();
        stopNetworkWatch();
      };
    },
  };
}
