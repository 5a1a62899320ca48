import ipaddr from 'ipaddr.js';

/**
 * From how far away an address can be reached: 0 only from this machine or its link, 1 from its site's networks, 2 from
 * anywhere. Whoever names addresses must not lead closer to this machine: a gateway on the internet must not make the
 * app connect to its user's own network.
 */
export function reachOf(address: string): 0 | 1 | 2 {
  return nearRanges.get(ipaddr.process(address).range()) ?? 2;
}

const nearRanges = new Map<string, 0 | 1>([
  ['loopback', 0],
  ['unspecified', 0],
  ['linkLocal', 0],
  ['multicast', 0],
  ['broadcast', 0],
  ['private', 1],
  ['uniqueLocal', 1],
  ['carrierGradeNat', 1],
]);
