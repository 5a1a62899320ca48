import { localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import { tunnelDevice } from '../identifiers.ts';
import { hasDefault, hasFamily, type PrefixList } from '../../network/prefix-list.ts';
import { chain, type Filter, nftFamilyOf, subchain } from './chain.ts';
import {
  bridgedRules,
  engineRules,
  fromOwnAddress,
  internalDevices,
  linkRules,
  localNetworkRules,
  localPrefixes,
  nameServicePorts,
  portalRules,
} from './exemptions.ts';

/** The names of the sets for captured prefixes; their elements are added separately (prefix-sets.ts). */
export type SetNames = (prefixes: PrefixList, family: 'ip' | 'ip6') => string;

/** The sets that captures need, each with its prefixes. */
export function neededSets(captures: readonly Capture[], names: SetNames) {
  return captures.flatMap((capture) =>
    capture.kind === 'prefixes'
      ? conditionsOf(capture).flatMap(({ family, sets }) =>
          sets.map((prefixes) => ({ name: names(prefixes, family), family, prefixes })),
        )
      : [],
  );
}

type Prefixes = Extract<Capture, { kind: 'prefixes' }>;
const versions = { ip: 4, ip6: 6 } as const;

/** For each IP version of which something is captured: whether everything is, and by which sets. */
function conditionsOf({ include, exclude }: Prefixes) {
  return (['ip', 'ip6'] as const).flatMap((family) => {
    const version = versions[family];
    if (!hasFamily(include, version)) return [];
    const included = hasDefault(include, version) ? undefined : include;
    const excluded = hasFamily(exclude, version) ? exclude : undefined;
    const sets = [included, excluded].filter((set) => set !== undefined);
    return [{ family, included, excluded, sets }];
  });
}

/**
 * `index` distinguishes two such captures, which are both in force while one replaces the other. Packets that are not
 * captured pass few rules: exceptions are only checked for the others.
 */
export function prefixChains(given: Filter, capture: Prefixes, index: number, setNames: SetNames): string[] {
  const filter = { ...given, localNetworks: localNetworksOf(given.networks, [capture]) };
  const conditions = conditionsOf(capture).map(({ family, included, excluded }) => ({
    family,
    excluded: excluded && `@${setNames(excluded, family)}`,
    captured: [
      included
        ? `${family} daddr @${setNames(included, family)}`
        : `meta nfproto ${family === 'ip' ? 'ipv4' : 'ipv6'}`,
      ...(excluded ? [`${family} daddr != @${setNames(excluded, family)}`] : []),
    ].join(' '),
  }));
  const refusals = (chainName: string) =>
    conditions.map(({ captured }) => `${captured} goto ${chainName}${index}`);
  const sets = new Set(
    neededSets([capture], setNames).map(
      ({ name, family }) =>
        `  set ${name} { type ${family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'}; flags interval; }`,
    ),
  );
  const internal = filter.forwarding ? internalDevices(filter) : [];
  const passed = passedRules(capture, filter, index);
  return [
    ...sets,
    ...passed.set,
    ...subchain(`captured${index}`, [
      ...fromOwnAddress(filter),
      ...engineRules(filter, 'tcp'),
      ...portalRules(filter),
      ...linkRules(filter),
      ...internalDevices(filter).map((devices) => `oifname ${devices} accept`),
      ...localNetworkRules(filter),
      'goto refuse',
    ]),
    ...chain(`output${index}`, 'filter hook output priority filter', 'accept', [
      ...engineRules(filter, 'udp'),
      ...filter.tunnelAddresses.map(
        (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
      ),
      `oifname "${tunnelDevice}" goto refuse`,
      // Before what stays within the machine: a forwarder there asks its own resolvers, outside the tunnel.
      ...filter.resolvers.map(
        (resolver) =>
          `${nftFamilyOf(resolver)} daddr ${resolver} meta l4proto { tcp, udp } th dport ${nameServicePorts} goto refuse`,
      ),
      'oifname "lo" accept',
      ...passed.look,
      ...refusals('captured'),
      ...fromOwnAddress(filter),
      ...passed.remember,
    ]),
    ...subchain(`forwarded${index}`, [
      ...internal.flatMap((devices) => [
        ...localPrefixes(filter).map(
          ({ family, prefixes }) => `oifname ${devices} ${family} saddr { ${prefixes.join(', ')} } accept`,
        ),
        // Answers to containers, from destinations that they may reach.
        ...conditions.flatMap(({ family, excluded }) =>
          excluded ? [`oifname ${devices} ${family} saddr ${excluded} accept`] : [],
        ),
      ]),
      ...(filter.forwarding ? localNetworkRules(filter) : []),
      'goto refuse',
    ]),
    ...chain(`forward${index}`, 'filter hook forward priority filter', 'accept', [
      ...bridgedRules(filter),
      ...internal.map((devices) => `iifname ${devices} oifname ${devices} accept`),
      // Nobody else is forwarded into the tunnel.
      ...(filter.tunnelAddresses.length > 0
        ? internal.map((devices) => `iifname ${devices} oifname "${tunnelDevice}" accept`)
        : []),
      `oifname "${tunnelDevice}" drop`,
      ...(filter.forwarding ? [`iifname "${tunnelDevice}" ct state established,related accept`] : []),
      `iifname "${tunnelDevice}" drop`,
      ...refusals('forwarded'),
    ]),
  ];
}

/** Looking up an address in an interval set with more prefixes costs a packet about a hundred nanoseconds. */
const maxLooked = 1_000;

/**
 * Remembers for a minute which addresses are not captured, so that not every packet of a flow is looked up in a large
 * set. The set is recreated empty with every change of the table, and limited in size and time.
 */
function passedRules({ include, exclude }: Prefixes, { tunnelAddresses }: Filter, index: number) {
  if (include.length + exclude.length <= maxLooked) return { set: [], look: [], remember: [] };
  const set = `passed${index}`;
  const own = tunnelAddresses.filter((address) => nftFamilyOf(address) === 'ip');
  const notOwn = own.length > 0 ? `ip saddr != { ${own.join(', ')} } ` : '';
  return {
    set: [`  set ${set} { type ipv4_addr; flags dynamic,timeout; timeout 1m; size 65535; }`],
    look: [`${notOwn}ip daddr @${set} accept`],
    remember: [`add @${set} { ip daddr }`],
  };
}
