/**
 * The default route of IPv4 that counts, out of what `route print` shows, whatever its language: a destination and a
 * mask of zeros, the router, the uplink's own address, and the metric. Undefined if there is none.
 */
export function defaultRoute(text: string): { router: string; address: string } | undefined {
  const lines = /^\s*0\.0\.0\.0\s+0\.0\.0\.0\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s*$/gm;
  const [best] = [...text.matchAll(lines)]
    .map(([, router = '', address = '', metric]) => ({ router, address, metric: Number(metric) }))
    .toSorted((one, other) => one.metric - other.metric);
  return best && { router: best.router, address: best.address };
}

/**
 * The numbers of the devices that have a default route of IPv6, out of what `route print` shows, whatever its language:
 * a device's number, a metric, the destination and the router. Those of routes that are kept for a device that is not
 * there have no number.
 */
export const ipv6Devices = (text: string): number[] =>
  [...text.matchAll(/^\s*(\d+)\s+\d+\s+::\/0\s+\S/gm)]
    .map(([, device]) => Number(device))
    .filter((device) => device > 0);
