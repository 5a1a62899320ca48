import { tunnelDevice } from '../identifiers.ts';
import { chain, type Filter, nftFamilyOf } from './chain.ts';
import {
  bridgedRules,
  engineRules,
  fromOwnAddress,
  internalDevices,
  linkRules,
  localNetworkRules,
  localPrefixes,
  portalRules,
} from './exemptions.ts';

/** What captures that take everything let out and through. */

/**
 * If no resolver can be reached, the stub of systemd-resolved (systemd-resolved.service(8)) does not answer at all
 * (resolved-dns-stub.c, dns_stub_query_complete), and programs wait 20 seconds for it. So while nothing passes the
 * tunnel, the stub itself is refused, which programs notice at once.
 */
const stubRule =
  'oifname "lo" ip daddr { 127.0.0.53, 127.0.0.54 } meta l4proto { tcp, udp } th dport 53 goto refuse';

/**
 * Ordered by cost. Rules that decide most packets come first, and each rule begins with its cheapest condition that
 * rarely holds: a rule costs a packet tens of nanoseconds, and looking up its user about 50.
 */
export function outputRules(filter: Filter): string[] {
  return [
    ...engineRules(filter, 'udp'),
    // A connection that is older than the tunnel keeps its old source address: refuse it, so that its program opens a
    // new one.
    ...filter.tunnelAddresses.map(
      (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${tunnelDevice}" goto refuse`,
    ...(filter.tunnelAddresses.length === 0 ? [stubRule] : []),
    'oifname "lo" accept',
    ...(filter.exceptedMark === undefined ? [] : [`meta mark ${filter.exceptedMark} accept`]),
    ...engineRules(filter, 'tcp'),
    ...portalRules(filter),
    ...linkRules(filter),
    ...internalDevices(filter).map((devices) => `oifname ${devices} accept`),
    // A neighbour, too, learns nothing of it, such as from a connection that is older than access to the local network.
    ...(filter.localNetworks.length > 0 ? fromOwnAddress(filter) : []),
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

export function forwardRules(filter: Filter): string[] {
  if (!filter.forwarding) return [...bridgedRules(filter), 'goto refuse'];
  return [
    ...bridgedRules(filter),
    ...internalDevices(filter).flatMap((devices) => [
      `iifname ${devices} oifname ${devices} accept`,
      ...(filter.tunnelAddresses.length > 0 ? [`iifname ${devices} oifname "${tunnelDevice}" accept`] : []),
    ]),
    // Only here: a rule that looks at connections makes the kernel track all of them.
    `iifname "${tunnelDevice}" ct state established,related accept`,
    // Otherwise the gateway, and anybody behind it, could send packets to local networks and containers.
    `iifname "${tunnelDevice}" drop`,
    ...internalDevices(filter).flatMap((devices) =>
      localPrefixes(filter).map(
        ({ family, prefixes }) => `oifname ${devices} ${family} saddr { ${prefixes.join(', ')} } accept`,
      ),
    ),
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

/** Containers' packets leave with the address of this end of the tunnel, even if nothing else masquerades them. */
export function masqueradeChain(filter: Filter): string[] {
  const rules = internalDevices(filter).map(
    (devices) => `iifname ${devices} oifname "${tunnelDevice}" masquerade`,
  );
  if (!filter.forwarding || rules.length === 0) return [];
  return chain('postrouting', 'nat hook postrouting priority srcnat + 1', 'accept', rules);
}
