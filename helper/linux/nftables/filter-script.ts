import { localNetworksOf } from '../../modes/local-exceptions.ts';
import { isGroupExcepted, type Capture } from '../../modes/routing-plan.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import type { PrefixList } from '../../network/prefix-list.ts';
import type { Accounts } from '../callers/accounts.ts';
import { groupMark } from '../groups/group-mark.ts';
import { filterTable, type TableFamily } from '../identifiers.ts';
import { chain, type Filter, isUid, nftFamilyOf, subchain } from './chain.ts';
import { portalSet } from './exemptions.ts';
import { forwardRules, masqueradeChain, outputRules } from './everything-chains.ts';
import { groupRules, keptMarkChain } from './group-chains.ts';
import { prefixChains, type SetNames } from './prefix-chains.ts';
import { portalProxyRules, proxyRules, tunnelForwardRules } from './proxy-chains.ts';
import {
  arpTable,
  forgedErrorRules,
  incomingRules,
  noNeighboursRule,
  soughtRules,
  spoofRules,
} from './tunnel-address-rules.ts';

/** What the filter depends on in the machine. */
export interface FilterSurroundings {
  accounts: Accounts['known'];
  /** Whether the kernel forwards packets at all (for containers and virtual machines). */
  forwarding: boolean;
}

/** Removes a table whether or not it exists (nft(8), "atomic rule replacement"). */
const removalOf = (family: TableFamily) =>
  `table ${family} ${filterTable}\ndelete table ${family} ${filterTable}\n`;

/** Removes the table of ARP; sets of the other one may have to stay. */
export const arpRemovalScript = removalOf('arp');

/** Removes both tables. */
export const removalScript = removalOf('inet') + arpRemovalScript;

/** Distinct names for the sets of one script. */
function numberedNames(): SetNames {
  const known: PrefixList[] = [];
  return (prefixes, family) => {
    if (!known.includes(prefixes)) known.push(prefixes);
    return `prefixes${known.indexOf(prefixes)}_${family}`;
  };
}

/**
 * The whole tables as `nft -f` takes them, replacing the current ones. A packet passes only if every chain of a hook
 * lets it pass, so each promise has chains of its own. `removal`: what removes the previous tables, so that sets can
 * stay.
 */
export function packetFilterScript(
  rules: FilterRules & { portal?: PortalRules | undefined },
  { accounts, forwarding }: FilterSurroundings,
  {
    setNames = numberedNames(),
    removal = removalScript,
    refusal = rejection,
  }: { setNames?: SetNames; removal?: string; refusal?: readonly string[] } = {},
): string {
  const everything = rules.captures.filter((capture) => capture.kind === 'everything');
  const groups = rules.captures.filter((capture) => capture.kind === 'group');
  const filter: Filter = {
    ...rules,
    // A destination is local only if every promise says so.
    localNetworks: localNetworksOf(rules.networks, everything),
    engineUid: accounts.engine?.uid,
    proxyUid: accounts.proxy?.uid,
    mark: groupMark(rules.owner),
    exceptedMark: isGroupExcepted(rules.captures) ? groupMark(rules.owner) : undefined,
    groupNetworks: localNetworksOf(rules.networks, groups),
    clientUids: isUid(rules.owner) ? [rules.owner] : [],
    forwarding,
  };
  /** What refuses each kind of capture outside the tunnel: a new kind does not compile without it. */
  const chainsOf: Record<Capture['kind'], () => string[]> = {
    everything: () =>
      everything.length === 0
        ? []
        : [
            ...chain('output', 'filter hook output priority filter', 'drop', outputRules(filter)),
            ...chain('forward', 'filter hook forward priority filter', 'drop', forwardRules(filter)),
          ],
    group: () =>
      groups.length === 0
        ? []
        : chain('group', 'filter hook output priority filter', 'accept', groupRules(filter)),
    proxy: () =>
      rules.captures.some(({ kind }) => kind === 'proxy')
        ? chain('proxy', 'filter hook output priority filter', 'accept', proxyRules(filter))
        : [],
    prefixes: () =>
      rules.captures
        .filter((capture) => capture.kind === 'prefixes')
        .flatMap((capture, index) => prefixChains(filter, capture, index, setNames)),
  };
  return [
    removal + `table inet ${filterTable} {`,
    ...(rules.portal
      ? [
          `  set ${portalSet} { type uid; flags timeout; }`,
          ...chain('portal', 'filter hook output priority filter', 'accept', portalProxyRules(filter)),
        ]
      : []),
    ...awaitedChain(filter),
    ...(groups.length > 0 || filter.exceptedMark !== undefined ? keptMarkChain(filter) : []),
    ...chainsOf.everything(),
    ...chainsOf.group(),
    ...(rules.captures.every(({ kind }) => kind === 'proxy' || kind === 'group')
      ? chain('forward', 'filter hook forward priority filter', 'accept', tunnelForwardRules)
      : masqueradeChain(filter)),
    ...chainsOf.proxy(),
    ...chainsOf.prefixes(),
    ...chain('prerouting', 'filter hook prerouting priority raw', 'accept', [
      ...spoofRules(filter),
      ...forgedErrorRules(filter),
      ...soughtRules(filter),
      noNeighboursRule,
    ]),
    ...chain('incoming', 'filter hook input priority filter', 'accept', incomingRules(filter)),
    ...segmentChains(filter),
    ...subchain('refuse', refusal),
    '}',
    ...arpTable(filter),
    '',
  ].join('\n');
}

/** Before all others: a reset would end connections that the next tunnel, with the same addresses, carries on. */
function awaitedChain({ awaitedAddresses }: Filter): string[] {
  if (awaitedAddresses.length === 0) return [];
  return chain(
    'awaited',
    'filter hook output priority filter - 1',
    'accept',
    awaitedAddresses.map((own) => `oifname != "lo" ${nftFamilyOf(own)} saddr ${own} drop`),
  );
}

/**
 * Both ends of a connection are told smaller segments than either takes, by its first two packets (RFC 9293 §3.7.1): a
 * path that loses larger packets without a word to the ends loses none of these.
 */
function segmentChains({ gateway, maxSegment }: Filter): string[] {
  if (!gateway || maxSegment === undefined) return [];
  const { port } = gateway;
  const addresses = addressesOf(gateway);
  const limited = `tcp flags & (syn | rst) == syn tcp option maxseg size set ${maxSegment}`;
  return [
    ...chain(
      'asked',
      'filter hook output priority mangle',
      'accept',
      addresses.map((address) => `${nftFamilyOf(address)} daddr ${address} tcp dport ${port} ${limited}`),
    ),
    ...chain(
      'answered',
      'filter hook input priority mangle',
      'accept',
      addresses.map((address) => `${nftFamilyOf(address)} saddr ${address} tcp sport ${port} ${limited}`),
    ),
  ];
}

/** Programs fail at once instead of waiting. */
const rejection = ['meta l4proto tcp reject with tcp reset', 'reject with icmpx admin-prohibited'];

/**
 * What stands in until sets of prefixes are filled: refuses everything that they could contain. Dropped, because a
 * rejection would end connections that are about to be let through.
 */
export function holdScript(
  rules: Parameters<typeof packetFilterScript>[0],
  surroundings: FilterSurroundings,
): string {
  const captures = rules.captures.map((capture): Capture => {
    if (capture.kind !== 'prefixes') return capture;
    const { exceptLocalNetworks, localPrefixes: named = [] } = capture;
    return { kind: 'everything', exceptLocalNetworks, localPrefixes: named };
  });
  return packetFilterScript({ ...rules, captures }, surroundings, { removal: '', refusal: ['drop'] });
}

/**
 * Lets the portal's proxy out, as the last line of the table's script. The kernel removes the user from the set again,
 * even if the helper has died or hangs.
 */
export function openPortalLine({ until }: PortalRules, { engine }: Accounts['known']): string {
  const seconds = Math.ceil((until - performance.now()) / 1000);
  if (!engine || seconds <= 0) return '';
  return `add element inet ${filterTable} ${portalSet} { ${engine.uid} timeout ${seconds}s }\n`;
}
