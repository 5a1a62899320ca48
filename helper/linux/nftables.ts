import { isIP, isIPv6 } from 'node:net';
import type { Capture } from '../modes/routing-plan.ts';
import type { FilterRules, PortalRules } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import { filterTable, tunnelDevice } from './identifiers.ts';
import { isOfFamily } from './prefix-ranges.ts';

/** What of the machine the filter depends on. */
export interface FilterSurroundings {
  accounts: Accounts['known'];
  /** Whether the kernel forwards packets at all (for containers and virtual machines). */
  forwarding: boolean;
}

const familyOf = (address: string) => (isIPv6(address) ? 'ip6' : 'ip');

/** DNS, DNS over TLS and QUIC (RFC 7858, RFC 9250) and LLMNR (RFC 4795): names never go to a local network. */
const nameServicePorts = '{ 53, 853, 5355 }';

/**
 * Where no resolver can be reached, the stub of systemd-resolved (systemd-resolved.service(8)) does not answer at all
 * (resolved-dns-stub.c, dns_stub_query_complete), and programs wait 20 seconds for it. So while nothing passes the
 * tunnel the stub itself is refused, which they know at once.
 */
const stubRule =
  'oifname "lo" ip daddr { 127.0.0.53, 127.0.0.54 } meta l4proto { tcp, udp } th dport 53 goto refuse';

/** Multicast that never leaves the attached networks (RFC 5771 §4, RFC 2365 §6.1, RFC 4291 §2.7). */
const localMulticast = { ip: ['224.0.0.0/24', '239.255.0.0/16', '255.255.255.255'], ip6: ['ff02::/16'] };

/** Where portals have their pages: the ports of http and https, and those that stand in for them. */
const portalPorts = '{ 80, 443, 8080, 8443 }';

/** The set of users whom the filter lets out to a portal. */
const portalSet = 'portal';

/** The names of a captured prefixes' sets in the table; what they have in them is put there apart (nftables-sets.ts). */
export type SetNames = (prefixes: readonly string[], family: 'ip' | 'ip6') => string;

/** Removes the table whether or not it exists (nft(8), "atomic rule replacement"). */
export const removalScript = `table inet ${filterTable}\ndelete table inet ${filterTable}\n`;

/** Names by which sets of one script are told apart. */
function numberedNames(): SetNames {
  const known: (readonly string[])[] = [];
  return (prefixes, family) => {
    if (!known.includes(prefixes)) known.push(prefixes);
    return `prefixes${known.indexOf(prefixes)}_${family}`;
  };
}

/**
 * The whole table as `nft -f` takes it, in place of the one that is there. A packet passes if every chain of a hook
 * lets it pass, so each promise has chains of its own. `removal`: what removes the one before, so that its sets can stay.
 */
export function packetFilterScript(
  rules: FilterRules & { portal?: PortalRules | undefined },
  { accounts, forwarding }: FilterSurroundings,
  { setNames = numberedNames(), removal = removalScript }: { setNames?: SetNames; removal?: string } = {},
): string {
  const everything = rules.captures.filter((capture) => capture.kind === 'everything');
  const filter: Filter = {
    ...rules,
    // A destination is local only if every promise says so.
    localNetworks: everything.every(({ exceptLocalNetworks }) => exceptLocalNetworks)
      ? rules.networks.local
      : [],
    engineUid: accounts.engine?.uid,
    proxyUid: accounts.proxy?.uid,
    clientUids: isUid(rules.owner) ? [rules.owner] : [],
    forwarding,
  };
  return [
    removal + `table inet ${filterTable} {`,
    ...(rules.portal
      ? [
          `  set ${portalSet} { type uid; flags timeout; }`,
          ...chain('portal', 'filter hook output priority filter', 'accept', portalProxyRules(filter)),
        ]
      : []),
    ...(everything.length > 0
      ? [
          ...chain('output', 'filter hook output priority filter', 'drop', outputRules(filter)),
          ...chain('forward', 'filter hook forward priority filter', 'drop', forwardRules(filter)),
        ]
      : []),
    ...(rules.captures.every(({ kind }) => kind === 'proxy')
      ? chain('forward', 'filter hook forward priority filter', 'accept', tunnelForwardRules)
      : masqueradeChain(filter)),
    ...(rules.captures.some(({ kind }) => kind === 'proxy')
      ? chain('proxy', 'filter hook output priority filter', 'accept', proxyRules(filter))
      : []),
    ...rules.captures
      .filter((capture) => capture.kind === 'prefixes')
      .flatMap((capture, index) => prefixChains(filter, capture, index, setNames)),
    ...chain('prerouting', 'filter hook prerouting priority raw', 'accept', spoofRules(filter)),
    // Refused rather than dropped, so that programs fail at once instead of waiting.
    '  chain refuse {',
    '    meta l4proto tcp reject with tcp reset',
    '    reject with icmpx admin-prohibited',
    '  }',
    '}',
    '',
  ].join('\n');
}

/**
 * Lets the portal's proxy out, as the last line of the table's script: the kernel takes the user out of the set again,
 * should the helper have died, or wait for something else.
 */
export function openPortalLine({ until }: PortalRules, { engine }: Accounts['known']): string {
  const seconds = Math.ceil((until - performance.now()) / 1000);
  if (!engine || seconds <= 0) return '';
  return `add element inet ${filterTable} ${portalSet} { ${engine.uid} timeout ${seconds}s }\n`;
}

const isUid = (user: string | undefined): user is string => user !== undefined && /^\d+$/.test(user);

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
const defaults = { ip: '0.0.0.0/0', ip6: '::/0' } as const;

/** Of each IP version of which something is captured: whether that is everything, and by which sets. */
function conditionsOf({ include, exclude }: Prefixes) {
  return (['ip', 'ip6'] as const).flatMap((family) => {
    const has = (all: readonly string[]) => all.some(isOfFamily(family === 'ip6' ? 6 : 4));
    if (!has(include)) return [];
    const isWhole = include.includes(defaults[family]);
    const [included, excluded] = [isWhole ? undefined : include, has(exclude) ? exclude : undefined];
    const sets = [included, excluded].filter((set) => set !== undefined);
    return [{ family, included, excluded, sets }];
  });
}

type Filter = Omit<FilterRules, 'captures' | 'owner'> & {
  portal?: PortalRules | undefined;
  localNetworks: readonly string[];
  engineUid: number | undefined;
  proxyUid: number | undefined;
  /** Users that may use the proxy. */
  clientUids: readonly string[];
  forwarding: boolean;
};

const subchain = (name: string, rules: string[]) => [
  `  chain ${name} {`,
  ...rules.map((rule) => `    ${rule}`),
  '  }',
];

function chain(name: string, hook: string, policy: string, rules: string[]): string[] {
  return [
    `  chain ${name} {`,
    `    type ${hook}; policy ${policy};`,
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}

/**
 * The rules that nearly all packets meet come first, and in each of them what is cheap to ask and mostly false:
 * every rule that a packet passes costs it tens of nanoseconds, and to ask for its user some 50.
 */
function outputRules(filter: Filter): string[] {
  return [
    ...engineRules(filter, 'udp'),
    // A connection older than the tunnel keeps its old source address: refuse it, so that its program makes another.
    ...filter.tunnelAddresses.map((own) => `oifname "${tunnelDevice}" ${familyOf(own)} saddr ${own} accept`),
    `oifname "${tunnelDevice}" goto refuse`,
    ...(filter.tunnelAddresses.length === 0 ? [stubRule] : []),
    'oifname "lo" accept',
    ...engineRules(filter, 'tcp'),
    ...portalRules(filter),
    ...linkRules(filter),
    ...internalDevices(filter).map((devices) => `oifname ${devices} accept`),
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

/**
 * No other user's: somebody could make a site's name resolve to the gateway's address, and have what its visitors send
 * leave in the clear (TunnelCrack, ServerIP; https://tunnelcrack.mathyvanhoef.com).
 */
function engineRules({ gateway, engineUid }: Filter, protocol: 'tcp' | 'udp'): string[] {
  if (!gateway || engineUid === undefined) return [];
  const { address, port } = gateway;
  return [`${familyOf(address)} daddr ${address} ${protocol} dport ${port} meta skuid ${engineUid} accept`];
}

/** The portal's proxy runs as the engine's user; no user of the machine's is let out. */
function portalRules({ portal }: Filter): string[] {
  if (!portal) return [];
  const asked = portal.resolvers.filter((address) => isIP(address) !== 0);
  return [
    `tcp dport ${portalPorts} meta skuid @${portalSet} accept`,
    ...(['ip', 'ip6'] as const).flatMap((family) => {
      const resolvers = asked.filter((address) => familyOf(address) === family);
      if (resolvers.length === 0) return [];
      const to = `${family} daddr { ${[...new Set(resolvers)].join(', ')} }`;
      return [`${to} meta l4proto { tcp, udp } th dport 53 meta skuid @${portalSet} accept`];
    }),
  ];
}

/** Its port is for the user alone who asked for it, and nobody else answers there, as with the proxy of mode pac. */
function portalProxyRules({ portal, engineUid }: Filter): string[] {
  if (!portal || engineUid === undefined) return [];
  const allowed = `{ ${[...(isUid(portal.client) ? [portal.client] : []), engineUid].join(', ')} }`;
  return ['dport', 'sport'].map(
    (end) => `oifname "lo" tcp ${end} ${portal.proxyPort} meta skuid != ${allowed} goto refuse`,
  );
}

/**
 * The first two: the proxy's port is for those who connected, and nobody else answers there, should the proxy be
 * gone. Other users of the machine could use the tunnel otherwise, or listen to what is meant for the proxy.
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
    'oifname "lo" accept',
    ...filter.tunnelAddresses.map((own) => `oifname "${tunnelDevice}" ${familyOf(own)} saddr ${own} accept`),
    `oifname "${tunnelDevice}" goto refuse`,
    `meta skuid ${proxyUid} goto refuse`,
    // A packet of the tunnel's that finds no way into it any more.
    ...filter.tunnelAddresses.map((own) => `${familyOf(own)} saddr ${own} goto refuse`),
  ];
}

/**
 * The uplink keeps its own address: DHCP (RFC 2131, §4.4.5 of which asks the server itself for more time), DHCPv6
 * (RFC 8415 §7.1), neighbours and routers (RFC 4861). On the link only, or they would be a way to anywhere.
 */
function linkRules({ networks }: Filter): string[] {
  const [ipv4, ipv6] = [false, true].map((isSix) =>
    networks.onLink.filter((prefix) => prefix.includes(':') === isSix),
  ) as [string[], string[]];
  const neighbours = ['fe80::/10', 'ff02::/16', ...ipv6.filter((prefix) => !prefix.startsWith('fe80:'))];
  return [
    `udp sport 68 udp dport 67 ip daddr { ${['255.255.255.255', ...ipv4].join(', ')} } accept`,
    'ip6 saddr fe80::/10 udp sport 546 udp dport 547 ip6 daddr ff02::1:2 accept',
    `icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 ip6 daddr { ${neighbours.join(', ')} } accept`,
  ];
}

/** The set of devices that lead to containers and virtual machines, if there are any. */
function internalDevices({ networks }: Filter): string[] {
  const names = networks.internal.devices.map((name) => `"${name}"`);
  return names.length > 0 ? [`{ ${names.join(', ')} }`] : [];
}

/** Containers leave the tunnel's other end with its address, also where nobody masquerades what goes that way. */
function masqueradeChain(filter: Filter): string[] {
  const rules = internalDevices(filter).map(
    (devices) => `iifname ${devices} oifname "${tunnelDevice}" masquerade`,
  );
  if (!filter.forwarding || rules.length === 0) return [];
  return chain('postrouting', 'nat hook postrouting priority srcnat + 1', 'accept', rules);
}

/**
 * `index` tells two such captures apart, which are there together while one gives way to the other. What is not captured
 * meets few rules: what may leave all the same is asked of the rest alone.
 */
function prefixChains(given: Filter, capture: Prefixes, index: number, setNames: SetNames): string[] {
  const filter = { ...given, localNetworks: capture.exceptLocalNetworks ? given.networks.local : [] };
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
  return [
    ...sets,
    ...subchain(`captured${index}`, [
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
        (own) => `oifname "${tunnelDevice}" ${familyOf(own)} saddr ${own} accept`,
      ),
      `oifname "${tunnelDevice}" goto refuse`,
      'oifname "lo" accept',
      ...filter.resolvers.map(
        (resolver) =>
          `${familyOf(resolver)} daddr ${resolver} meta l4proto { tcp, udp } th dport ${nameServicePorts} goto refuse`,
      ),
      ...refusals('captured'),
      // A packet of the tunnel's that finds no way into it any more.
      ...filter.tunnelAddresses.map((own) => `${familyOf(own)} saddr ${own} goto refuse`),
    ]),
    ...subchain(`forwarded${index}`, [
      ...internal.flatMap((devices) => [
        ...localPrefixes(filter).map(
          ({ family, prefixes }) => `oifname ${devices} ${family} saddr { ${prefixes.join(', ')} } accept`,
        ),
        // Answers to containers, from where they may go.
        ...conditions.flatMap(({ family, excluded }) =>
          excluded ? [`oifname ${devices} ${family} saddr ${excluded} accept`] : [],
        ),
      ]),
      ...(filter.forwarding ? localNetworkRules(filter) : []),
      'goto refuse',
    ]),
    ...chain(`forward${index}`, 'filter hook forward priority filter', 'accept', [
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

function forwardRules(filter: Filter): string[] {
  if (!filter.forwarding) return ['goto refuse'];
  return [
    ...internalDevices(filter).flatMap((devices) => [
      `iifname ${devices} oifname ${devices} accept`,
      ...(filter.tunnelAddresses.length > 0 ? [`iifname ${devices} oifname "${tunnelDevice}" accept`] : []),
    ]),
    // Only here: a rule that looks at connections makes the kernel track all of them.
    `iifname "${tunnelDevice}" ct state established,related accept`,
    // Or the gateway, and whoever is behind it, could send packets to local networks and containers.
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
 * Where only the proxy uses the tunnel, nobody is forwarded into it or out of it: neither the gateway into the
 * networks around the machine, nor a neighbour who sends from the tunnel's own address, which IPv6 forwards. Dropped,
 * since a refusal would quote, outside the tunnel, what came through it.
 */
const tunnelForwardRules = ['iifname', 'oifname'].map((way) => `${way} "${tunnelDevice}" drop`);

function localPrefixes({ localNetworks }: Filter) {
  return (['ip', 'ip6'] as const)
    .map((family) => ({
      family,
      prefixes: localNetworks.filter((prefix) => familyOf(prefix.split('/')[0] ?? '') === family),
    }))
    .filter(({ prefixes }) => prefixes.length > 0);
}

function localNetworkRules(filter: Filter): string[] {
  if (filter.localNetworks.length === 0) return [];
  return [
    `meta l4proto { tcp, udp } th dport ${nameServicePorts} goto refuse`,
    ...localPrefixes(filter).map(
      ({ family, prefixes }) =>
        `${family} daddr { ${[...prefixes, ...localMulticast[family]].join(', ')} } accept`,
    ),
  ];
}

/**
 * Packets to the tunnel's address that arrive elsewhere are forged: somebody on the local network could
 * otherwise find out and disturb what runs inside the tunnel (CVE-2019-14899).
 */
function spoofRules(filter: Filter): string[] {
  return filter.tunnelAddresses.map(
    (own) =>
      `${familyOf(own)} daddr ${own} iifname != "${tunnelDevice}" iifname != "lo" fib saddr type != local drop`,
  );
}
