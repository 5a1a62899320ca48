import type { Log } from '../../log.ts';
import { isInternetLost } from '../../network/anywhere.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import type { Router, RoutingRules } from '../../system/ports/router-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { IpHelper, Luid, Route } from '../calls/ip-helper.ts';
import { gatewayRouteMetric } from '../identifiers.ts';
import { bestRoute, bestRoutePast, isGatewayRoute, type RoutingTable } from './best-route.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import { tunnelPrefixes, type TunnelPrefix } from './tunnel-routes.ts';

/**
 * Routes into the tunnel's interface, and one to the gateway past it. Windows has one routing table, in which a route
 * cannot refuse packets: what is captured is kept in by the filter alone.
 */
export function createRouter(parts: {
  ipHelper: IpHelper;
  /** The tunnel's interface, if there is one. */
  tunnel: () => Luid | undefined;
  monitor: NetworkMonitor;
  log: Log;
}): Router {
  const { ipHelper, tunnel, monitor, log } = parts;
  let rules: RoutingRules | undefined;
  /** Into the tunnel, as far as we have made them; those of an interface end with it. */
  const made = new Map<string, Route>();

  const read = (): RoutingTable => ({ routes: ipHelper.routes(), ipInterfaces: ipHelper.ipInterfaces() });

  /** To each of its addresses to which a route leads, unless that is one of others to it alone. */
  function gatewayRoutes({ gateway }: RoutingRules, table: RoutingTable): Route[] {
    return (gateway ? addressesOf(gateway) : []).flatMap((address) => {
      const best = bestRoutePast(tunnel(), table, address);
      const prefix = `${address}/${address.includes(':') ? 128 : 32}`;
      if (!best || best.prefix === prefix) return [];
      return [{ luid: best.luid, prefix, nextHop: best.nextHop, metric: gatewayRouteMetric }];
    });
  }

  /** What was last worked out: a list may have a hundred thousand prefixes. */
  const known = new Map<4 | 6, { rules: RoutingRules; prefixes: TunnelPrefix[] }>();

  function prefixesFor(given: RoutingRules, family: 4 | 6): TunnelPrefix[] {
    const found = known.get(family);
    if (found?.rules === given) return found.prefixes;
    const prefixes = tunnelPrefixes(given, family);
    known.set(family, { rules: given, prefixes });
    return prefixes;
  }

  function tunnelRoutes(given: RoutingRules, { ipInterfaces }: RoutingTable): Route[] {
    const luid = tunnel();
    if (luid === undefined) return [];
    return ([4, 6] as const)
      .filter((family) => ipInterfaces.some((one) => one.luid === luid && one.family === family))
      .flatMap((family) => {
        // The tunnel's own address. With none, a prefix would be a network on a link, whose last address is for
        // broadcasts.
        const nextHop = given.tunnelAddresses.findLast((address) => address.includes(':') === (family === 6));
        if (nextHop === undefined) return [];
        return prefixesFor(given, family).map(({ prefix, metric }) => ({ luid, prefix, nextHop, metric }));
      });
  }

  function add(route: Route): void {
    const outcome = ipHelper.createRoute(route);
    if (outcome === 'no-protocol') throw new SystemChangeFailed(`no route to ${route.prefix} is possible`);
    if (outcome === 'exists') ipHelper.setRoute(route);
  }

  /** What is needed comes before what is no longer needed goes, so that no packet finds neither. */
  function change(next: RoutingRules): void {
    const table = read();
    const pins = gatewayRoutes(next, table);
    const wanted = new Map(tunnelRoutes(next, table).map((route) => [nameOf(route), route]));
    const found = new Map(table.routes.map((route) => [nameOf(route), route]));
    const isThere = (route: Route) => found.get(nameOf(route))?.metric === route.metric;
    // Before anything leads into the tunnel: otherwise the engine's packets would go there.
    for (const pin of pins) if (!isThere(pin)) add(pin);
    for (const [name, route] of wanted) {
      made.set(name, route);
      if (!isThere(route)) add(route);
    }
    for (const [name, route] of made) {
      if (wanted.has(name)) continue;
      ipHelper.deleteRoute(route);
      made.delete(name);
    }
    for (const route of straysAmong(table, pins)) ipHelper.deleteRoute(route);
  }

  return {
    async set(next) {
      // First: what of it fails counts as changed, not as unset.
      rules = next;
      change(next);
    },
    // A route is in force as soon as it exists.
    prepare: () => Promise.resolve(),
    // Answers need no route of their own here.
    setPortal: () => Promise.resolve(),
    async refuseAll() {
      rules = undefined;
      throw new SystemChangeFailed('routes cannot refuse packets here');
    },
    async verify() {
      if (!rules) return 'unset';
      const table = read();
      const pins = gatewayRoutes(rules, table);
      const wanted = [...pins, ...tunnelRoutes(rules, table)];
      // Only one of ours has this prefix in the tunnel, whatever the system makes of its next hop.
      const found = new Set(table.routes.map(leadOf));
      const isWhole = wanted.every((route) => found.has(leadOf(route)));
      return isWhole && straysAmong(table, pins).length === 0 ? 'in-force' : 'changed';
    },
    async restore() {
      if (rules) change(rules);
    },
    async isOverruled() {
      const luid = tunnel();
      // Where only some packets are captured, others' routes may well be about the rest.
      if (luid === undefined || rules?.capture.kind !== 'everything') return false;
      const { routes, ipInterfaces } = read();
      const isOurs = (route: Route) => route.luid === luid;
      // Ours first: of two that cost the same, Windows may take either.
      const table = {
        routes: [...routes.filter(isOurs), ...routes.filter((route) => !isOurs(route))],
        ipInterfaces,
      };
      return isInternetLost((address) => {
        if (!bestRoute(table, address, isOurs)) return undefined;
        const best = bestRoute(table, address, (route) => !isGatewayRoute(route));
        return best?.luid === luid ? 'ours' : 'others';
      });
    },
    watch: (onChange) => monitor.subscribe(onChange),
    async clear() {
      rules = undefined;
      known.clear();
      for (const route of made.values()) ipHelper.deleteRoute(route);
      made.clear();
      const ours = ipHelper.routes().filter(isGatewayRoute);
      for (const route of ours) ipHelper.deleteRoute(route);
      if (ours.length > 0) log.info('removed the routes to gateways', { routes: ours.length });
    },
  };
}

/** Routes to gateways that are not wanted any more. */
function straysAmong({ routes }: RoutingTable, pins: readonly Route[]): Route[] {
  const names = new Set(pins.map(nameOf));
  return routes.filter((route) => isGatewayRoute(route) && !names.has(nameOf(route)));
}

const leadOf = ({ luid, prefix, metric }: Route) => `${luid} ${prefix} ${metric}`;
const nameOf = ({ luid, prefix, nextHop }: Route) => `${luid} ${prefix} ${nextHop ?? ''}`;
