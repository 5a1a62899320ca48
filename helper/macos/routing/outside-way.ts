import { isInsidePrefix, parsePrefix } from '#shared/tunnel/prefix.ts';
import type { Route } from '../calls/route-message.ts';

/**
 * The route that packets to an address take without the helper's, of the routes that concern all sockets (RTF_IFSCOPE:
 * only those that are bound to an interface). Undefined if there is none.
 */
export function outsideWay(
  table: readonly Route[],
  address: string,
  tunnelIndex: number | undefined,
): Route | undefined {
  const best = longestRoute(
    table.filter((route) => !route.isOurs && route.scope === undefined && route.interface !== tunnelIndex),
    address,
  );
  return best?.way.kind === 'refused' ? undefined : best;
}

/** The one with the longest prefix that has the address. */
export function longestRoute(table: readonly Route[], address: string): Route | undefined {
  let best: Route | undefined;
  let bestLength = -1;
  for (const route of table) {
    const length = parsePrefix(route.prefix)?.length ?? -1;
    if (length <= bestLength || !isInsidePrefix(address, route.prefix)) continue;
    best = route;
    bestLength = length;
  }
  return best;
}
