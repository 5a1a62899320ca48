import ipaddr from 'ipaddr.js';
import { isIPv4, isIPv6 } from 'node:net';
import { localNetworksOf } from '../../modes/local-networks.ts';
import { isGroupExcepted, type Capture } from '../../modes/routing-plan.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import type { PrefixList } from '../../network/prefix-list.ts';
import type { Accounts } from '../callers/accounts.ts';
import { groupMark } from '../groups/group-mark.ts';
import { filterTable, tunnelDevice, type TableFamily } from '../identifiers.ts';
import {
  bridgedRules,
  chain,
  engineRules,
  fromOwnAddress,
  nftFamilyOf,
  internalDevices,
  linkRules,
  localNetworkRules,
  localPrefixes,
  portalRules,
  portalSet,
  subchain,
  type Filter,
} from './exemptions.ts';
import { prefixChains, type SetNames } from './prefix-chains.ts';

/** What the filter depends on in the machine. */
export interface FilterSurroundings {
  accounts: Accounts['known'];
  /** Whether the kernel forwards packets at all (for containers and virtual machines). */
  forwarding: boolean;
}

/**
 * If no resolver can be reached, the stub of systemd-resolved (systemd-resolved.service(8)) does not answer at all
 * (resolved-dns-stub.c, dns_stub_query_complete), and programs wait 20 seconds for it. So while nothing passes the
 * tunnel, the stub itself is refused, which programs notice at once.
 */
const stubRule =
  'oifname "lo" ip daddr { 127.0.0.53, 127.0.0.54 } meta l4proto { tcp, udp } th dport 53 goto refuse';

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
 * The whole tables as `nft -f` takes them, replacing the current ones. A packet passes only if every chain of a hook lets
 * it pass, so each promise has chains of its own. `removal`: what removes the previous tables, so that sets can
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
  const { address, port } = gateway;
  const family = nftFamilyOf(address);
  const limited = `tcp flags & (syn | rst) == syn tcp option maxseg size set ${maxSegment}`;
  return [
    ...chain('asked', 'filter hook output priority mangle', 'accept', [
      `${family} daddr ${address} tcp dport ${port} ${limited}`,
    ]),
    ...chain('answered', 'filter hook input priority mangle', 'accept', [
      `${family} saddr ${address} tcp sport ${port} ${limited}`,
    ]),
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

const isUid = (user: string | undefined): user is string => user !== undefined && /^\d+$/.test(user);

/**
 * Ordered by cost. Rules that decide most packets come first, and each rule begins with its cheapest condition that
 * rarely holds: a rule costs a packet tens of nanoseconds, and looking up its user about 50.
 */
function outputRules(filter: Filter): string[] {
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
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

/**
 * Others' rules may replace the marks of all packets, as those do that restore a connection's mark (CONNMARK): then the
 * group's packets, which left their sockets with the right mark, would be routed like everybody's, and refused. A chain
 * of this type has the kernel look for the way again if the mark has changed; this one comes after all that others
 * usually have.
 */
function keptMarkChain({ mark }: Filter): string[] {
  if (mark === undefined) return [];
  return chain('marks', 'route hook output priority filter - 1', 'accept', [
    `meta mark != ${mark} socket mark ${mark} meta mark set ${mark}`,
  ]);
}

/**
 * The group's packets are recognised by their mark, whichever device a program has bound its socket to. A look-up
 * within the machine would be answered by a program that asks outside the tunnel, so it is refused; if the group's
 * look-ups are redirected, there are none.
 */
function groupRules(filter: Filter): string[] {
  const { mark } = filter;
  if (mark === undefined) return [];
  return [
    ...filter.tunnelAddresses.map(
      (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${tunnelDevice}" goto refuse`,
    ...fromOwnAddress(filter),
    `meta mark != ${mark} accept`,
    'meta l4proto { tcp, udp } th dport 53 goto refuse',
    'oifname "lo" accept',
    ...internalDevices(filter).map((devices) => `oifname ${devices} accept`),
    ...localNetworkRules({ ...filter, localNetworks: filter.groupNetworks }),
    'goto refuse',
  ];
}

/** Its port is only for the user who asked for it, and nobody else may answer there, as with the proxy of mode pac. */
function portalProxyRules(filter: Filter): string[] {
  const { portal, engineUid } = filter;
  if (!portal || engineUid === undefined) return [];
  const allowed = `{ ${[...(isUid(portal.client) ? [portal.client] : []), engineUid].join(', ')} }`;
  return [
    ...['dport', 'sport'].map(
      (end) => `oifname "lo" tcp ${end} ${portal.proxyPort} meta skuid != ${allowed} goto refuse`,
    ),
    ...engineRules(filter, 'tcp'),
    noWayIn(engineUid),
  ];
}

/**
 * A proxy's user opens no connection within the machine, by whichever of its addresses: the proxy refuses them too, but
 * does not know at once of one that is new. The user is asked for last, which is of what few packets are.
 */
const noWayIn = (uid: number) => `oifname "lo" tcp flags & (syn | ack) == syn meta skuid ${uid} goto refuse`;

/**
 * The first two: the proxy's port is for those who connected, and nobody else may answer there, even if the proxy is
 * gone. Otherwise other users of the machine could use the tunnel, or receive what is meant for the proxy.
 */
function proxyRules(filter: Filter): string[] {
  const { proxyUid, proxyPort } = filter;
  if (proxyUid === undefined) return [];
  const allowed = `{ ${[...filter.clientUids, proxyUid].join(', ')} }`;
  return [
    ...(proxyPort === undefined
      ? []
      : ['dport', 'sport'].map(
          (end) => `oifname "lo" tcp ${end} ${proxyPort} meta skuid != ${allowed} goto refuse`,
        )),
    noWayIn(proxyUid),
    'oifname "lo" accept',
    ...filter.tunnelAddresses.map(
      (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${tunnelDevice}" goto refuse`,
    ...fromOwnAddress(filter),
    `meta skuid ${proxyUid} goto refuse`,
  ];
}

/** Containers' packets leave with the address of this end of the tunnel, even if nothing else masquerades them. */
function masqueradeChain(filter: Filter): string[] {
  const rules = internalDevices(filter).map(
    (devices) => `iifname ${devices} oifname "${tunnelDevice}" masquerade`,
  );
  if (!filter.forwarding || rules.length === 0) return [];
  return chain('postrouting', 'nat hook postrouting priority srcnat + 1', 'accept', rules);
}

function forwardRules(filter: Filter): string[] {
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

/**
 * What comes out of the tunnel reaches the machine only as an answer, and only at the tunnel's own addresses, unless
 * more may come in. The rule that looks at connections makes the kernel track all of them: nothing else tells an answer
 * in UDP from a stranger's datagram.
 */
function incomingRules({ tunnelAddresses, allowIncoming }: Filter): string[] {
  const answers = allowIncoming ? '' : ' ct state established,related';
  return [
    `iifname != "${tunnelDevice}" accept`,
    ...tunnelAddresses.map((own) => `${nftFamilyOf(own)} daddr ${own}${answers} accept`),
    'drop',
  ];
}

/**
 * If only the proxy uses the tunnel, nothing is forwarded into it or out of it: neither from the gateway into the
 * networks around the machine, nor from a neighbour who sends from the tunnel's own address, which IPv6 forwards.
 * Dropped, because a rejection would quote, outside the tunnel, what came through it.
 */
const tunnelForwardRules = ['iifname', 'oifname'].map((way) => `${way} "${tunnelDevice}" drop`);

/**
 * The tunnel has no neighbours and no routers (RFC 4861). Otherwise the kernel would believe a gateway about which
 * networks are on the tunnel's device, in the main table, and about a default route.
 */
const noNeighboursRule = `icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, nd-redirect } iifname "${tunnelDevice}" drop`;

/**
 * Packets to the tunnel's address that arrive on other devices are forged: with them, somebody on the local network
 * could detect and disturb connections inside the tunnel (CVE-2019-14899). So are those from it, which the
 * kernel itself refuses with IPv4 only.
 */
function spoofRules(filter: Filter): string[] {
  return filter.tunnelAddresses.flatMap((own) =>
    ['daddr', 'saddr'].map((end) => `${nftFamilyOf(own)} ${end} ${own} iifname != ${ownDevices} drop`),
  );
}

/** What the tunnel's address is used on. */
const ownDevices = `{ "${tunnelDevice}", "lo" }`;

/**
 * Nobody on another link learns that this machine has the tunnel's address, by asking for its hardware address. With
 * IPv6 the kernel answers for the link's own addresses only, unless it is a proxy for others. The address that is sought
 * begins 8 bytes after the message does (RFC 4861 §4.3).
 */
function soughtRules({ tunnelAddresses }: Filter): string[] {
  return tunnelAddresses
    .filter(isIPv6)
    .map(
      (own) => `icmpv6 type nd-neighbor-solicit iifname != ${ownDevices} @th,64,128 ${digitsOf(own)} drop`,
    );
}

/**
 * The same for ARP (RFC 826), where the kernel answers on every link for every address that the machine has
 * (ip-sysctl.rst, arp_ignore), and may name any of them when it asks (arp_announce). The tunnel's device has no ARP.
 */
function arpTable({ tunnelAddresses }: Filter): string[] {
  const own = tunnelAddresses.filter(isIPv4);
  if (own.length === 0) return [];
  return [
    `table arp ${filterTable} {`,
    ...chain(
      'input',
      'filter hook input priority filter',
      'accept',
      own.map((address) => `arp daddr ip ${address} drop`),
    ),
    ...chain(
      'output',
      'filter hook output priority filter',
      'accept',
      own.map((address) => `arp saddr ip ${address} drop`),
    ),
    '}',
  ];
}

const digitsOf = (address: string) => `0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`;

/**
 * Errors that quote a packet of the tunnel's address and arrive on other devices are forged as well: they would end or
 * slow down connections inside the tunnel, and so tell who sent them that there are such. The quoted packet begins 8
 * bytes after the message does (RFC 792, RFC 4443 §3), and its source is 12 bytes further with IPv4, 8 with IPv6. Of one
 * in fragments, the first need not have that; no real one is so long that it has to be in fragments (RFC 1812 §4.3.2.3,
 * RFC 4443 §2.4).
 */
function forgedErrorRules(filter: Filter): string[] {
  const errors = {
    ip: 'icmp type { destination-unreachable, source-quench, redirect, time-exceeded, parameter-problem }',
    ip6: 'icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem }',
  };
  const quotedSource = { ip: '@th,160,32', ip6: '@th,128,128' };
  const isFragment = { ip: 'ip frag-off & 0x3fff != 0', ip6: 'exthdr frag exists' };
  return filter.tunnelAddresses.flatMap((own) => {
    const family = nftFamilyOf(own);
    const forged = `${errors[family]} iifname != ${ownDevices}`;
    return [
      `${forged} ${quotedSource[family]} ${digitsOf(own)} drop`,
      `${isFragment[family]} ${forged} drop`,
    ];
  });
}
