import { isIPv6 } from 'node:net';
import { filterTable } from './identifiers.ts';

/** What may leave the machine outside the tunnel. */
export type PacketFilter = GlobalFilter | ProxyFilter;

interface CommonFilter {
  device: string;
  /** The tunnel's own addresses; none until it is configured, and then nothing passes through it. */
  tunnelAddresses: { ipv4?: string | undefined; ipv6?: string | undefined };
}

/** Nothing but what the tunnel itself needs; everything else is refused. */
export interface GlobalFilter extends CommonFilter {
  mode: 'global';
  /** Absent if there is no engine that could run. */
  engineUid: number | undefined;
  /** Users that may reach the gateway's TCP port to sign in. */
  clientUids: readonly number[];
  gateway: { address: string; port: number };
  /** Directly attached networks that stay reachable, as prefixes. */
  localPrefixes: readonly string[];
  /** Whether the kernel forwards packets at all (for containers and virtual machines). */
  forwarding: boolean;
}

/** Everything but what a proxy sends, which only passes through the tunnel. */
export interface ProxyFilter extends CommonFilter {
  mode: 'pac';
  /** Absent if there is no proxy that could run. */
  proxyUid: number | undefined;
  /** Absent until the proxy listens. */
  proxyPort: number | undefined;
  /** Users that may use the proxy. */
  clientUids: readonly number[];
}

const familyOf = (address: string) => (isIPv6(address) ? 'ip6' : 'ip');

/** DNS, DNS over TLS and QUIC (RFC 7858, RFC 9250) and LLMNR (RFC 4795): names never go to a local network. */
const nameServicePorts = '{ 53, 853, 5355 }';

/** Multicast that never leaves the attached networks (RFC 5771 §4, RFC 2365 §6.1, RFC 4291 §2.7). */
const localMulticast = { ip: ['224.0.0.0/24', '239.255.0.0/16', '255.255.255.255'], ip6: ['ff02::/16'] };

/**
 * The whole table as `nft -f` takes it. The first two lines make the replacement atomic whether or not the
 * table exists (nft(8), "atomic rule replacement").
 */
export function packetFilterScript(filter: PacketFilter): string {
  return [
    `table inet ${filterTable}`,
    `delete table inet ${filterTable}`,
    `table inet ${filterTable} {`,
    ...(filter.mode === 'global'
      ? [
          ...chain('output', 'hook output priority filter', 'drop', outputRules(filter)),
          ...chain('forward', 'hook forward priority filter', 'drop', forwardRules(filter)),
        ]
      : chain('output', 'hook output priority filter', 'accept', proxyRules(filter))),
    ...chain('prerouting', 'hook prerouting priority raw', 'accept', spoofRules(filter)),
    // Refused rather than dropped, so that programs fail at once instead of waiting.
    '  chain refuse {',
    '    meta l4proto tcp reject with tcp reset',
    '    reject with icmpx admin-prohibited',
    '  }',
    '}',
    '',
  ].join('\n');
}

export const removePacketFilterScript = `table inet ${filterTable}\ndelete table inet ${filterTable}\n`;

function chain(name: string, hook: string, policy: string, rules: string[]): string[] {
  return [
    `  chain ${name} {`,
    `    type filter ${hook}; policy ${policy};`,
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}

/**
 * The rules that nearly all packets meet come first, and in each of them what is cheap to ask and mostly false:
 * every rule that a packet passes costs it tens of nanoseconds, and to ask for its user some 50.
 */
function outputRules(filter: GlobalFilter): string[] {
  const { address, port } = filter.gateway;
  const gateway = `${familyOf(address)} daddr ${address}`;
  const engine = (protocol: 'tcp' | 'udp') =>
    filter.engineUid === undefined
      ? []
      : [`${gateway} ${protocol} dport ${port} meta skuid ${filter.engineUid} accept`];
  return [
    ...engine('udp'),
    // A connection older than the tunnel keeps its old source address: refuse it, so that it is made anew.
    ...tunnelAddresses(filter).map(
      (own) => `oifname "${filter.device}" ${familyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${filter.device}" goto refuse`,
    'oifname "lo" accept',
    ...engine('tcp'),
    ...(filter.clientUids.length > 0
      ? [`${gateway} tcp dport ${port} meta skuid { ${filter.clientUids.join(', ')} } accept`]
      : []),
    // The uplink keeps its own address: DHCP (RFC 2131), DHCPv6 (RFC 8415), neighbours and routers (RFC 4861,
    // whose §6.1 and §7.1 demand a hop limit of 255, so that these cannot have come from further away).
    'meta nfproto ipv4 udp sport 68 udp dport 67 accept',
    'ip6 saddr fe80::/10 udp sport 546 udp dport 547 accept',
    'icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept',
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

/**
 * The first two: the proxy's port is for those who connected, and nobody else answers there, should the proxy be
 * gone. Other users of the machine could use the tunnel otherwise, or listen to what is meant for the proxy.
 */
function proxyRules(filter: ProxyFilter): string[] {
  const { device, proxyUid, proxyPort } = filter;
  if (proxyUid === undefined) return [];
  const allowed = `{ ${[...filter.clientUids, proxyUid].join(', ')} }`;
  return [
    ...(proxyPort === undefined
      ? []
      : ['dport', 'sport'].map(
          (end) => `oifname "lo" tcp ${end} ${proxyPort} meta skuid != ${allowed} goto refuse`,
        )),
    'oifname "lo" accept',
    ...tunnelAddresses(filter).map((own) => `oifname "${device}" ${familyOf(own)} saddr ${own} accept`),
    `oifname "${device}" goto refuse`,
    `meta skuid ${proxyUid} goto refuse`,
    // A packet of the tunnel's that finds no way into it any more.
    ...tunnelAddresses(filter).map((own) => `${familyOf(own)} saddr ${own} goto refuse`),
  ];
}

function forwardRules(filter: GlobalFilter): string[] {
  if (!filter.forwarding) return ['goto refuse'];
  return [
    ...(tunnelAddresses(filter).length > 0 ? [`oifname "${filter.device}" accept`] : []),
    // Only here: a rule that looks at connections makes the kernel track all of them.
    `iifname "${filter.device}" ct state established,related accept`,
    ...localNetworkRules(filter),
    'goto refuse',
  ];
}

function localNetworkRules(filter: GlobalFilter): string[] {
  if (filter.localPrefixes.length === 0) return [];
  const destinations = (['ip', 'ip6'] as const).flatMap((family) => {
    const prefixes = filter.localPrefixes.filter((prefix) => familyOf(prefix.split('/')[0] ?? '') === family);
    return prefixes.length > 0
      ? [`${family} daddr { ${[...prefixes, ...localMulticast[family]].join(', ')} } accept`]
      : [];
  });
  return [`meta l4proto { tcp, udp } th dport ${nameServicePorts} goto refuse`, ...destinations];
}

/**
 * Packets to the tunnel's address that arrive elsewhere are forged: somebody on the local network could
 * otherwise find out and disturb what runs inside the tunnel (CVE-2019-14899).
 */
function spoofRules(filter: CommonFilter): string[] {
  return tunnelAddresses(filter).map(
    (own) =>
      `${familyOf(own)} daddr ${own} iifname != "${filter.device}" iifname != "lo" fib saddr type != local drop`,
  );
}

function tunnelAddresses({ tunnelAddresses: { ipv4, ipv6 } }: CommonFilter): string[] {
  return [ipv4, ipv6].filter((address) => address !== undefined);
}
