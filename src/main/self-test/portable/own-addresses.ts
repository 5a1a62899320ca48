import { networkInterfaces } from 'node:os';

/**
 * A device's own addresses, without those of the link alone (RFC 4291 §2.5.6), its hardware address, and the number that
 * the system has given it, which is known if it has IPv6.
 */
export function ownAddresses(device: string): {
  ipv4: string | undefined;
  ipv6: string | undefined;
  hardware: string;
  number: number | undefined;
} {
  const all = networkInterfaces()[device] ?? [];
  const of = (family: 'IPv4' | 'IPv6') =>
    all.find((one) => one.family === family && !one.address.startsWith('fe80:'))?.address;
  const number = all.flatMap((one) => (one.family === 'IPv6' && one.scopeid > 0 ? one.scopeid : []))[0];
  return { ipv4: of('IPv4'), ipv6: of('IPv6'), hardware: (all[0]?.mac ?? '').replaceAll(':', ''), number };
}

/** The networks that a device is attached to, as prefixes with its own addresses in them. */
export const networksOf = (device: string): string[] =>
  (networkInterfaces()[device] ?? []).flatMap(({ cidr }) => cidr ?? []);

/** The device that has an address; undefined if none does. */
export const deviceWith = (address: string): string | undefined =>
  Object.entries(networkInterfaces()).find(([, all = []]) => all.some((one) => one.address === address))?.[0];
