import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { IpInterface, Luid, Route } from '../calls/ip-helper.ts';
import { gatewayRouteMetric } from '../identifiers.ts';

/** What the system decides by. */
export interface RoutingTable {
  routes: readonly Route[];
  ipInterfaces: readonly IpInterface[];
}

/** A route that we have made to a gateway; the tunnel's own end with its interface. */
export const isGatewayRoute = ({ prefix, metric }: Route): boolean =>
  metric === gatewayRouteMetric &&
  /\/(?:32|128)$/.test(prefix) &&
  prefix.includes(':') === prefix.endsWith('/128');

/** The route that leads to an address past the tunnel and without the routes of ours to gateways. */
export const bestRoutePast = (
  tunnel: Luid | undefined,
  table: RoutingTable,
  address: string,
): Route | undefined => bestRoute(table, address, (route) => route.luid !== tunnel && !isGatewayRoute(route));

/**
 * Of those that count, the route that leads to an address: the longest, then the one with the lowest sum of its metric and
 * its interface's (Microsoft, “MIB_IPFORWARD_ROW2”), then the first. An interface can be told not to follow default routes,
 * as those are that lead to a store or another VPN (“Set-NetIPInterface -IgnoreDefaultRoutes”).
 */
export function bestRoute(
  { routes, ipInterfaces }: RoutingTable,
  address: string,
  counts: (route: Route) => boolean,
): Route | undefined {
  const family = address.includes(':') ? 6 : 4;
  const used = new Map(
    ipInterfaces.filter((one) => one.family === family && one.isConnected).map((one) => [one.luid, one]),
  );
  const cost = ({ luid, metric }: Route) => metric + (used.get(luid)?.metric ?? 0);
  const isFollowed = (route: Route) => {
    const found = used.get(route.luid);
    return found !== undefined && !(found.ignoresDefaultRoutes && lengthOf(route) === 0);
  };
  let best: Route | undefined;
  for (const route of routes) {
    if (!counts(route) || !isFollowed(route) || !isInsidePrefix(address, route.prefix)) continue;
    const longer = best ? lengthOf(route) - lengthOf(best) : 1;
    if (longer > 0 || (longer === 0 && best && cost(route) < cost(best))) best = route;
  }
  return best;
}

const lengthOf = ({ prefix }: Route): number => Number(prefix.slice(prefix.indexOf('/') + 1));
