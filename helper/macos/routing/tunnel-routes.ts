import { setImmediate } from 'node:timers/promises';
import { isInternetLost } from '../../network/anywhere.ts';
import type { Verdict } from '../../system/ports/guarded.ts';
import type { RoutingRules } from '../../system/ports/router-port.ts';
import type { Route } from '../calls/route-message.ts';
import type { RouteCalls, RouteChange } from '../calls/routing-socket.ts';
import { longestRoute } from './outside-way.ts';
import { refusingRoutes, wantedRoutes, type LeadingTunnel } from './wanted-routes.ts';

/**
 * The helper's routes, which are recognised by a mark, also those of an earlier helper. What they are follows from the
 * routing rules and from where the tunnel is, which two ports know. Changes run one after the other.
 */
export interface TunnelRoutes {
  /** Undefined: no rules. `refuse`: nothing leaves, whatever the rules were. */
  follow(rules: RoutingRules | 'refuse' | undefined): Promise<void>;
  /** Undefined: there is no tunnel. */
  lead(tunnel: LeadingTunnel | undefined): Promise<void>;
  /** Whether the routes that refuse are left out, so that the packet filter alone decides; not those of `refuse`. */
  letThrough(isWanted: boolean): Promise<void>;
  /** The device is gone, and its routes with it. */
  deviceLost(): void;
  verify(): Verdict;
  /** Whether others' routes win over those that lead everything into the tunnel. */
  areOverruled(): boolean;
  restore(): Promise<void>;
  /** Removes all that have the mark. */
  clear(): Promise<void>;
}

/** How many changes are made before others of this process have a turn. */
const perTurn = 2_000;

export function createTunnelRoutes(calls: RouteCalls): TunnelRoutes {
  let rules: RoutingRules | 'refuse' | undefined;
  let tunnel: LeadingTunnel | undefined;
  let isLetThrough = false;
  let wanted: RouteChange[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** After a failed one, too. */
  const inOrder = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = last.then(task, task);
    last = result;
    return result;
  };

  const marked = () => calls.table().filter(({ isOurs }) => isOurs);

  async function synchronize(): Promise<void> {
    const present = new Map(marked().map((route) => [placeOf(route), route]));
    const isThere = (route: RouteChange) => {
      const found = present.get(placeOf(route));
      return found !== undefined && isSameWay(found, route);
    };
    const missing = wanted.filter((route) => !isThere(route));
    const places = new Set(wanted.map(placeOf));
    const stray = [...present.values()].filter((route) => !places.has(placeOf(route)));
    let count = 0;
    const turn = async () => {
      count += 1;
      if (count % perTurn === 0) await setImmediate();
    };
    // What is new comes before what is over: in between, a packet finds one or the other.
    const [replacing, added] = [true, false].map((is) =>
      missing.filter((route) => present.has(placeOf(route)) === is),
    ) as [RouteChange[], RouteChange[]];
    for (const route of added) {
      add(route);
      await turn();
    }
    // The kernel cannot turn a route that refuses into another one; the packet filter covers the moment in between.
    for (const route of replacing) {
      calls.remove(present.get(placeOf(route)) ?? route);
      add(route);
      await turn();
    }
    for (const route of stray) {
      calls.remove(route);
      await turn();
    }
  }

  function add(route: RouteChange): void {
    if (calls.add(route) === 'exists')
      throw new Error(`another program has a route to ${route.prefix}, which stays`);
  }

  async function update(): Promise<void> {
    if (rules === undefined) wanted = [];
    else if (rules === 'refuse') wanted = refusingRoutes();
    else wanted = wantedRoutes(rules, tunnel).filter(({ way }) => !isLetThrough || way.kind !== 'refused');
    await synchronize();
  }

  return {
    follow: (next) =>
      inOrder(async () => {
        rules = next;
        await update();
      }),
    lead: (next) =>
      inOrder(async () => {
        tunnel = next;
        await update();
      }),
    letThrough: (isWanted) =>
      inOrder(async () => {
        isLetThrough = isWanted;
        await update();
      }),
    deviceLost() {
      tunnel = undefined;
    },
    verify() {
      if (rules === undefined) return 'unset';
      const present = new Map(marked().map((route) => [placeOf(route), route]));
      const isWhole = wanted.every((route) => {
        const found = present.get(placeOf(route));
        return found !== undefined && isSameWay(found, route);
      });
      return isWhole && present.size === wanted.length ? 'in-force' : 'changed';
    },
    areOverruled() {
      // Where only some packets are captured, others' routes may well be about the rest.
      if (!tunnel || rules === undefined || rules === 'refuse' || rules.capture.kind !== 'everything')
        return false;
      const table = calls.table().filter(({ scope }) => scope === undefined);
      const ours = table.filter((route) => route.isOurs && route.way.kind !== 'refused');
      return isInternetLost((address) => {
        if (!longestRoute(ours, address)) return undefined;
        return longestRoute(table, address)?.isOurs === true ? 'ours' : 'others';
      });
    },
    restore: () => inOrder(update),
    clear: () =>
      inOrder(async () => {
        rules = undefined;
        isLetThrough = false;
        wanted = [];
        for (const route of marked()) calls.remove(route);
        await Promise.resolve();
      }),
  };
}

/** The table has one route for each prefix and scope. */
const placeOf = ({ prefix, scope }: Pick<Route, 'prefix' | 'scope'>) => `${prefix} ${scope ?? ''}`;

function isSameWay({ way: one }: Pick<Route, 'way'>, { way: other }: Pick<Route, 'way'>): boolean {
  if (one.kind === 'router') return other.kind === 'router' && one.address === other.address;
  if (one.kind === 'interface') return other.kind === 'interface' && one.index === other.index;
  return other.kind === 'refused';
}
