import { isIP } from 'node:net';
import { localNetworksOf } from '../../modes/local-networks.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import { portalPorts, type PortalRules } from '../../system/ports/portal-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { addressText, capturedRanges } from '../address-ranges.ts';
import type { Filter, FilterCondition, FilterLayer } from '../calls/filtering.ts';
import type { Guid } from '../calls/guid.ts';
import type { Luid } from '../calls/ip-helper.ts';
import { filterProvider, sublayers } from '../identifiers.ts';
import { withKey } from './filter-key.ts';

/** How one of our unprivileged programs is told from all others: by its file and its user. */
export interface ProgramIdentity {
  file: string;
  /** A security identifier, S-1-… */
  sid: string;
}

/** What the filter depends on in the machine. */
export interface FilterSurroundings {
  engine: ProgramIdentity;
  proxy: ProgramIdentity;
  /** The tunnel's interface, if there is one. */
  tunnel: Luid | undefined;
}

type Family = 4 | 6;
const families = [4, 6] as const;
const layersOf = {
  4: { connect: 'connect-4', accept: 'accept-4' },
  6: { connect: 'connect-6', accept: 'accept-6' },
} as const;
type Way = 'connect' | 'accept';
const bothWays = ['connect', 'accept'] as const;

const [tcp, udp, icmp6] = [6, 17, 58] as const;

/** DNS, NetBIOS, DNS over TLS and QUIC, LLMNR: look-ups never go to a local network (see nftables-exemptions.ts). */
const nameServicePorts = [53, 137, 853, 5355] as const;

/** Multicast that never leaves the attached networks (RFC 5771 §4, RFC 2365 §6.1, RFC 4291 §2.7). */
const localMulticast = {
  4: ['224.0.0.0/24', '239.255.0.0/16', '255.255.255.255/32'],
  6: ['ff02::/16'],
} as const;

/** Router solicitation and advertisement, neighbour solicitation and advertisement (RFC 4861 §4). */
const neighbourTypes = { connect: [133, 135, 136], accept: [134, 135, 136] } as const;

/** How many ranges a filter has at most; a list may have a hundred thousand. */
const maxRanges = 500;

/**
 * Of a sublayer's filters that match, the one with the highest weight decides; those of the same weight never
 * contradict each other.
 */
const weights = {
  throughTunnel: 15,
  elsewhereInTunnel: 14,
  resolvers: 13,
  withinMachine: 12,
  ownPrograms: 11,
  nameServices: 10,
  link: 9,
  localNetworks: 8,
  captured: 4,
  rest: 0,
} as const;

type Lifetime = 'now' | 'from-start-on';

/** A rule before it is put into a sublayer. */
interface Rule {
  name: string;
  family: Family;
  ways: readonly Way[];
  action: Filter['action'];
  weight: number;
  conditions: readonly FilterCondition[];
  /** `now`: it means something of this run, such as an interface, that could be something else after a reboot. */
  lifetime: Lifetime;
}

/** All filters that keep these rules. Throws if this system cannot. */
export function filtersOf(rules: FilterRules, surroundings: FilterSurroundings): Filter[] {
  if (rules.captures.length >= sublayers.length) throw new SystemChangeFailed('too many captures at once');
  const [base, ...others] = sublayers;
  return [
    ...inSublayer(base, baseRules(rules, surroundings), rules),
    ...rules.captures.flatMap((capture, index) =>
      inSublayer(others[index] ?? base, captureRules(capture, rules, surroundings), rules),
    ),
  ];
}

/**
 * What lets the portal's program out, in addition, in the sublayers of what is captured. These filters have no provider:
 * they belong to a session that ends with the helper.
 */
export function portalFilters(
  portal: PortalRules,
  rules: FilterRules,
  { engine }: FilterSurroundings,
): Omit<Filter, 'key'>[] {
  const asked = portal.resolvers.filter((address) => isIP(address) !== 0);
  const letOut = families.flatMap((family): Rule[] => {
    const resolvers = ofFamily(asked, family);
    const common = {
      family,
      ways: ['connect'],
      action: 'permit',
      weight: weights.ownPrograms,
      lifetime: 'now',
    } as const;
    const pages: Rule = {
      ...common,
      name: 'the portal',
      conditions: [...identified(engine), protocol(tcp), ...remotePorts(portalPorts)],
    };
    if (resolvers.length === 0) return [pages];
    return [
      pages,
      {
        ...common,
        name: "the portal's resolvers",
        conditions: [
          ...identified(engine),
          protocol(tcp),
          protocol(udp),
          ...remotePorts([53]),
          ...remotes(resolvers),
        ],
      },
    ];
  });
  return rules.captures.flatMap((_, index) =>
    letOut.flatMap((rule) => filtersOfRule(rule, sublayers[index + 1] ?? sublayers[0], 'running')),
  );
}

function captureRules(capture: Capture, rules: FilterRules, surroundings: FilterSurroundings): Rule[] {
  switch (capture.kind) {
    case 'everything':
      // Also if a group of programs is excepted: this system cannot tell its packets.
      return families.flatMap((family) => [
        ...exemptions(family, rules, surroundings, localNetworksOf(rules.networks, [capture])),
        blocked('everything else', family, weights.rest, []),
      ]);
    case 'prefixes':
      return families.flatMap((family) => prefixRules(family, capture, rules, surroundings));
    case 'proxy':
      return families.flatMap((family) => proxyRules(family, rules, surroundings));
    case 'group':
      throw new SystemChangeFailed('programs cannot be routed separately here');
    default:
      return capture satisfies never;
  }
}

/** What holds whatever is captured. */
function baseRules(rules: FilterRules, { tunnel }: FilterSurroundings): Rule[] {
  const { tunnelAddresses, awaitedAddresses, allowIncoming } = rules;
  return families.flatMap((family): Rule[] => {
    const own = ofFamily(tunnelAddresses, family);
    const now = { family, lifetime: 'now' } as const;
    return [
      ...(own.length > 0 || ofFamily(awaitedAddresses, family).length > 0
        ? [withinMachine(family, 'now')]
        : []),
      ...(tunnel === undefined
        ? []
        : [
            // What nobody here has asked for comes in only if that is wanted; answers are not asked about.
            ...own.map((address) => ({
              ...tunnelPermit(family, tunnel, address),
              ways: allowIncoming ? bothWays : (['connect'] as const),
            })),
            {
              ...blocked('other addresses in the tunnel', family, weights.elsewhereInTunnel, [
                inTunnel(tunnel),
              ]),
              ...now,
            },
          ]),
      // Packets from the tunnel's address that no longer find a route into it, and to it that arrive elsewhere.
      ...[...own, ...ofFamily(awaitedAddresses, family)].map((address) => ({
        ...blocked("the tunnel's address elsewhere", family, weights.ownPrograms, [localAddress(address)]),
        ...now,
      })),
    ];
  });
}

/** What may leave although it is captured. */
function exemptions(
  family: Family,
  rules: FilterRules,
  surroundings: FilterSurroundings,
  localNetworks: readonly string[],
): Rule[] {
  return [
    withinMachine(family, 'from-start-on'),
    ...tunnelRules(family, rules, surroundings),
    ...engineRules(family, rules, surroundings),
    ...linkRules(family, rules),
    ...localNetworkRules(family, localNetworks),
  ];
}

function prefixRules(
  family: Family,
  capture: Extract<Capture, { kind: 'prefixes' }>,
  rules: FilterRules,
  surroundings: FilterSurroundings,
): Rule[] {
  const ranges = capturedRanges(capture, family);
  const resolvers = ofFamily(rules.resolvers, family);
  const chunks = Array.from({ length: Math.ceil(ranges.length / maxRanges) }, (_, index) =>
    ranges.slice(index * maxRanges, (index + 1) * maxRanges),
  );
  return [
    ...exemptions(family, rules, surroundings, localNetworksOf(rules.networks, [capture])),
    ...(resolvers.length > 0
      ? [
          // Also of a forwarder within this machine, which asks its own resolvers outside the tunnel.
          {
            ...blocked('resolvers outside the tunnel', family, weights.resolvers, [
              ...lookUps(),
              ...remotes(resolvers),
            ]),
            lifetime: 'now' as const,
          },
        ]
      : []),
    ...chunks.map((chunk) =>
      blocked(
        'captured addresses',
        family,
        weights.captured,
        chunk.map(({ first, end }) => ({
          field: 'remote-range',
          first: addressText(first, family),
          last: addressText(end - 1n, family),
        })),
      ),
    ),
  ];
}

/**
 * The proxy's port is for those who asked for it, and nobody else may answer there, even if the proxy is gone. The proxy
 * opens no connection within the machine.
 */
function proxyRules(family: Family, rules: FilterRules, surroundings: FilterSurroundings): Rule[] {
  const { proxy, tunnel } = surroundings;
  const { proxyPort, owner, tunnelAddresses } = rules;
  const loopback: FilterCondition = { field: 'loopback' };
  const itself = identified(proxy);
  const now = { family, lifetime: 'now' } as const;
  const toPort = [loopback, protocol(tcp), ...remotePorts([proxyPort ?? 0])];
  const atPort: FilterCondition[] = [loopback, protocol(tcp), { field: 'local-port', port: proxyPort ?? 0 }];
  const port: Rule[] =
    proxyPort === undefined
      ? []
      : [
          ...(isSid(owner)
            ? [
                {
                  ...now,
                  name: 'the owner at the proxy',
                  ways: ['connect'] as const,
                  action: 'permit' as const,
                  weight: weights.throughTunnel,
                  conditions: [...toPort, { field: 'user' as const, sid: owner }],
                },
              ]
            : []),
          {
            ...now,
            name: 'the proxy at its port',
            ways: ['accept'],
            action: 'permit',
            weight: weights.throughTunnel,
            conditions: [...atPort, ...itself],
          },
          {
            ...blocked('others at the proxy', family, weights.elsewhereInTunnel, toPort),
            ...now,
            ways: ['connect'],
          },
          {
            ...blocked("others at the proxy's port", family, weights.elsewhereInTunnel, atPort),
            ...now,
            ways: ['accept'],
          },
        ];
  return [
    ...port,
    // It may be the same program.
    ...engineRules(family, rules, surroundings),
    {
      ...blocked('the proxy within the machine', family, weights.resolvers, [
        loopback,
        protocol(tcp),
        ...itself,
      ]),
      ways: ['connect'],
    },
    ...(tunnel === undefined
      ? []
      : [
          ...ofFamily(tunnelAddresses, family).map((address): Rule => {
            const through = tunnelPermit(family, tunnel, address);
            return {
              ...through,
              weight: weights.ownPrograms,
              conditions: [...through.conditions, ...itself],
            };
          }),
          // Everybody else goes out as before, and nowhere if that is not possible.
          { ...blocked('others in the tunnel', family, weights.nameServices, [inTunnel(tunnel)]), ...now },
        ]),
    {
      family,
      name: 'the proxy at its clients',
      ways: ['accept'],
      action: 'permit',
      weight: weights.link,
      conditions: [loopback, ...itself],
      lifetime: 'from-start-on',
    },
    blocked('the proxy outside the tunnel', family, weights.rest, itself),
  ];
}

const withinMachine = (family: Family, lifetime: Lifetime): Rule => ({
  name: 'within this machine',
  family,
  ways: bothWays,
  action: 'permit',
  weight: weights.withinMachine,
  conditions: [{ field: 'loopback' }],
  lifetime,
});

function tunnelRules(
  family: Family,
  { tunnelAddresses }: FilterRules,
  { tunnel }: FilterSurroundings,
): Rule[] {
  if (tunnel === undefined) return [];
  return [
    ...ofFamily(tunnelAddresses, family).map((address) => tunnelPermit(family, tunnel, address)),
    {
      ...blocked('other addresses in the tunnel', family, weights.elsewhereInTunnel, [inTunnel(tunnel)]),
      lifetime: 'now',
    },
  ];
}

/** A connection that is older than the tunnel keeps its old source address, and is refused. */
const tunnelPermit = (family: Family, tunnel: Luid, address: string): Rule => ({
  name: 'through the tunnel',
  family,
  ways: bothWays,
  action: 'permit',
  weight: weights.throughTunnel,
  conditions: [inTunnel(tunnel), localAddress(address)],
  lifetime: 'now',
});

/**
 * Only the engine: otherwise somebody could make a site's name resolve to the gateway's address, and its visitors' traffic
 * would leave in the clear (TunnelCrack, ServerIP; https://tunnelcrack.mathyvanhoef.com). To any port by UDP, since a
 * gateway names it while the engine already sends to it.
 */
function engineRules(family: Family, { gateway }: FilterRules, { engine }: FilterSurroundings): Rule[] {
  if (!gateway || familyOf(gateway.address) !== family) return [];
  const common = {
    family,
    ways: ['connect'],
    action: 'permit',
    weight: weights.ownPrograms,
    lifetime: 'now',
  } as const;
  const toGateway = [...identified(engine), ...remotes([gateway.address])];
  return [
    {
      ...common,
      name: 'the engine',
      conditions: [...toGateway, protocol(tcp), ...remotePorts([gateway.port])],
    },
    { ...common, name: "the engine's datagrams", conditions: [...toGateway, protocol(udp)] },
  ];
}

/** Lets the uplink keep its own address: DHCP (RFC 2131, RFC 8415), neighbours and routers (RFC 4861); on the link only. */
function linkRules(family: Family, { networks }: FilterRules): Rule[] {
  const onLink = ofFamily(networks.onLink, family);
  const rule = (
    name: string,
    conditions: FilterCondition[],
    lifetime: Lifetime,
    ways: readonly Way[] = bothWays,
  ): Rule => ({
    name,
    family,
    ways,
    action: 'permit',
    weight: weights.link,
    conditions,
    lifetime,
  });
  if (family === 4) {
    const dhcp: FilterCondition[] = [protocol(udp), { field: 'local-port', port: 68 }, ...remotePorts([67])];
    return [
      rule('DHCP', [...dhcp, ...remotes(['255.255.255.255'])], 'from-start-on', ['connect']),
      // Answers come from an address that nobody knows yet.
      rule("DHCP's answers", dhcp, 'from-start-on', ['accept']),
      ...(onLink.length > 0
        ? [rule('DHCP on the link', [...dhcp, ...remotes(onLink)], 'now', ['connect'])]
        : []),
    ];
  }
  const neighbours = remotes(['fe80::/10', 'ff02::/16']);
  const further = onLink.filter((prefix) => !prefix.startsWith('fe80:'));
  const types = (way: Way): FilterCondition[] => [
    protocol(icmp6),
    ...neighbourTypes[way].map((type): FilterCondition => ({ field: 'icmp-type', type })),
  ];
  return [
    rule(
      'DHCPv6',
      [
        protocol(udp),
        { field: 'local-port', port: 546 },
        ...remotePorts([547]),
        ...remotes(['ff02::1:2', 'fe80::/10']),
      ],
      'from-start-on',
    ),
    ...bothWays.flatMap((way) => [
      rule('neighbours', [...types(way), ...neighbours], 'from-start-on', [way]),
      ...(further.length > 0
        ? [rule('neighbours on the link', [...types(way), ...remotes(further)], 'now', [way])]
        : []),
    ]),
  ];
}

/** Not from the start on: after a reboot, the machine may be in another network, of which nobody has said anything. */
function localNetworkRules(family: Family, localNetworks: readonly string[]): Rule[] {
  if (localNetworks.length === 0) return [];
  const inThem = remotes([...ofFamily(localNetworks, family), ...localMulticast[family]]);
  return [
    {
      ...blocked('look-ups in local networks', family, weights.nameServices, [...lookUps(), ...inThem]),
      lifetime: 'now',
    },
    {
      name: 'local networks',
      family,
      ways: bothWays,
      action: 'permit',
      weight: weights.localNetworks,
      conditions: inThem,
      lifetime: 'now',
    },
  ];
}

const blocked = (
  name: string,
  family: Family,
  weight: number,
  conditions: readonly FilterCondition[],
): Rule => ({
  name,
  family,
  ways: bothWays,
  action: 'block',
  weight,
  conditions,
  lifetime: 'from-start-on',
});

const protocol = (number: number): FilterCondition => ({ field: 'protocol', protocol: number });
const inTunnel = (luid: Luid): FilterCondition => ({ field: 'interface', luid });
const localAddress = (address: string): FilterCondition => ({ field: 'local-address', address });
const remotePorts = (ports: readonly number[]) =>
  ports.map((port): FilterCondition => ({ field: 'remote-port', port }));
const lookUps = () => [protocol(tcp), protocol(udp), ...remotePorts(nameServicePorts)];
const identified = ({ file, sid }: ProgramIdentity): FilterCondition[] => [
  { field: 'program', file },
  { field: 'user', sid },
];
/** Prefixes or single addresses. */
const remotes = (prefixes: readonly string[]) =>
  prefixes.map((prefix): FilterCondition => {
    const whole = prefix.includes('/') ? prefix : `${prefix}/${familyOf(prefix) === 4 ? 32 : 128}`;
    return { field: 'remote-prefix', prefix: whole };
  });

const familyOf = (text: string): Family => (text.includes(':') ? 6 : 4);
const ofFamily = (texts: readonly string[], family: Family) =>
  texts.filter((text) => familyOf(text) === family);
const isSid = (user: string | undefined): user is string => user !== undefined && /^S-1-[\d-]+$/.test(user);

/** From the start of the machine on, it takes two: one for the driver alone, and one for the time after. */
function inSublayer(sublayer: Guid, rules: readonly Rule[], { fromStartOn }: FilterRules): Filter[] {
  return rules
    .flatMap((rule) => {
      if (rule.lifetime === 'now' || !fromStartOn) return filtersOfRule(rule, sublayer, 'running');
      // While the driver is alone, no program of ours runs, and nobody can say whose a socket is.
      const isOfUser = rule.conditions.some(({ field }) => field === 'user');
      return [
        ...filtersOfRule(rule, sublayer, 'persistent'),
        ...(isOfUser ? [] : filtersOfRule(rule, sublayer, 'boot-time')),
      ];
    })
    .map((filter) => withKey({ ...filter, provider: filterProvider }));
}

function filtersOfRule(rule: Rule, sublayer: Guid, lifetime: Filter['lifetime']): Omit<Filter, 'key'>[] {
  return rule.ways.map((way) => {
    const layer: FilterLayer = layersOf[rule.family][way];
    return {
      name: `Waymaker: ${rule.name}`,
      provider: undefined,
      sublayer,
      layer,
      lifetime,
      action: rule.action,
      // Otherwise somebody else's permission, in a sublayer that is asked later, would decide (Windscribe 44).
      isFinal: rule.action === 'block',
      weight: rule.weight,
      conditions: rule.conditions,
    };
  });
}
