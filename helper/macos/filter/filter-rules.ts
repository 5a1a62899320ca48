import { isIP, isIPv6 } from 'node:net';
import { isCaptured } from '../../modes/is-captured.ts';
import { localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import { localMulticast, lookUpPorts } from '../../network/local-traffic.ts';
import { prefixTexts } from '../../network/prefix-list.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import { portalPorts, type PortalRules } from '../../system/ports/portal-port.ts';

/** The users whose packets are told apart, by their numbers. */
export interface FilterUsers {
  engine: number | undefined;
  proxy: number | undefined;
}

/** The table of an anchor with what the n-th capture has. */
export const capturedTable = (index: number) => `captured${index}`;

const familyOf = (address: string) => (isIPv6(address) ? 'inet6' : 'inet');

/** What leaves by a device, except to this machine itself. */
const outside = (device: string | undefined) => (device === undefined ? '' : ` on ! ${device}`);

/**
 * The anchor's rules (pf.conf(5)): the first that matches decides (`quick`). Packets are let through without a state,
 * so that a rule that is gone lets through nothing more (mullvadvpn-app 14), except in the tunnel, where only a state
 * tells an answer from what nobody has asked for; it counts on that device alone.
 */
export function filterText(
  rules: FilterRules,
  {
    device,
    users,
    portal,
  }: { device: string | undefined; users: FilterUsers; portal?: PortalRules | undefined },
): string {
  return [
    ...tables(rules.captures),
    ...segmentRules(rules),
    ...proxyPortRules(rules, users),
    ...portalProxyRules(rules, users, portal),
    'pass quick on lo0 all no state',
    ...awaitedRules(rules),
    ...tunnelRules(rules, device),
    ...engineRules(rules, users),
    ...portalRules(users, portal),
    ...linkRules(rules),
    ...resolverRules(rules, device),
    ...rules.captures.flatMap((capture) => (capture.kind === 'proxy' ? proxyRules(users) : [])),
    ...internalRules(rules),
    ...localRules(rules),
    ...captureRules(rules.captures, device),
    '',
  ].join('\n');
}

function tables(captures: readonly Capture[]): string[] {
  return captures.flatMap((capture, index) => {
    if (capture.kind !== 'prefixes') return [];
    const prefixes = [
      ...prefixTexts(capture.include),
      ...prefixTexts(capture.exclude).map((prefix) => `!${prefix}`),
    ];
    return [`table <${capturedTable(index)}> const { ${prefixes.join(', ')} }`];
  });
}

/** Both ends of a connection to the gateway are told smaller segments than either takes. */
function segmentRules({ gateway, maxSegment }: FilterRules): string[] {
  if (!gateway || maxSegment === undefined) return [];
  const { port } = gateway;
  return addressesOf(gateway).flatMap((address) => [
    `scrub out ${familyOf(address)} proto tcp from any to ${address} port ${port} max-mss ${maxSegment}`,
    `scrub in ${familyOf(address)} proto tcp from ${address} port ${port} to any max-mss ${maxSegment}`,
  ]);
}

/**
 * The proxy's port is for the user who asked for it, and nobody else may answer there, even if the proxy is gone. The
 * proxy itself opens no connection within the machine.
 */
function proxyPortRules({ captures, proxyPort, owner }: FilterRules, { proxy }: FilterUsers): string[] {
  if (proxy === undefined || !captures.some(({ kind }) => kind === 'proxy')) return [];
  return [noWayIn(proxy), ...(proxyPort === undefined ? [] : portRules(proxyPort, [owner, String(proxy)]))];
}

/** The same of the portal's proxy, which runs as the engine's user. */
const portalProxyRules = (rules: FilterRules, users: FilterUsers, portal: PortalRules | undefined) =>
  portal === undefined || users.engine === undefined
    ? []
    : [
        // A gateway on this machine is still reached.
        ...engineRules(rules, users).slice(0, 1),
        noWayIn(users.engine),
        ...portRules(portal.proxyPort, [portal.client, String(users.engine)]),
      ];

const noWayIn = (user: number) => `block return out quick on lo0 proto tcp all flags S/SA user ${user}`;

/** A port of this machine is for these users alone, and nobody else may answer there. */
function portRules(port: number, users: readonly (string | undefined)[]): string[] {
  const allowed = `user { ${users.filter(isUid).join(' ')} }`;
  return [`from any to any port ${port}`, `from any port ${port} to any`].flatMap((ends) => {
    const packets = `out quick on lo0 proto tcp ${ends}`;
    return [`pass ${packets} ${allowed} no state`, `block return ${packets}`];
  });
}

/**
 * To a captive portal's pages, and to the resolvers that the network has named: only its proxy, which ends with the
 * helper.
 */
function portalRules({ engine }: FilterUsers, portal: PortalRules | undefined): string[] {
  if (portal === undefined || engine === undefined) return [];
  return [
    `pass out quick proto tcp from any to any port { ${portalPorts.join(' ')} } user ${engine} no state`,
    ...portal.resolvers
      .filter((address) => isIP(address) !== 0)
      .map(
        (resolver) =>
          `pass out quick ${familyOf(resolver)} proto { tcp udp } from any to ${resolver} port 53 user ${engine} no state`,
      ),
  ];
}

const isUid = (user: string | undefined): user is string => user !== undefined && /^\d+$/.test(user);

/** Before all others: a reset would end connections that the next tunnel, with the same addresses, carries on. */
const awaitedRules = ({ awaitedAddresses }: FilterRules) =>
  awaitedAddresses.map((own) => `block drop out quick ${familyOf(own)} from ${own} to any`);

/**
 * What goes into the tunnel from its addresses, and what comes out of it: answers, unless more may come in. The last
 * two kinds are from its addresses on other devices, and forged packets to them (CVE-2019-14899).
 */
function tunnelRules({ tunnelAddresses, allowIncoming }: FilterRules, device: string | undefined): string[] {
  if (device === undefined) return tunnelAddresses.flatMap((own) => ownAddressRules(own, undefined));
  return [
    ...tunnelAddresses.flatMap((own) => {
      const family = familyOf(own);
      return [
        ...(allowIncoming ? [`pass in quick on ${device} ${family} from any to ${own} no state`] : []),
        allowIncoming
          ? `pass out quick on ${device} ${family} from ${own} to any no state`
          : `pass out quick on ${device} ${family} from ${own} to any flags any keep state (if-bound)`,
      ];
    }),
    `block drop in quick on ${device} all`,
    // A connection that is older than the tunnel keeps its old address: refused, so that its program opens a new one.
    `block return out quick on ${device} all`,
    ...tunnelAddresses.flatMap((own) => ownAddressRules(own, device)),
  ];
}

const ownAddressRules = (own: string, device: string | undefined) => [
  `block drop out quick${outside(device)} ${familyOf(own)} from ${own} to any`,
  `block drop in quick${outside(device)} ${familyOf(own)} from any to ${own}`,
];

/**
 * Only the engine's user: otherwise somebody could make a name resolve to the gateway's address, and its visitors'
 * traffic would leave in the clear (TunnelCrack, ServerIP). By UDP to any port: a gateway names it while the engine
 * already sends.
 */
function engineRules({ gateway }: FilterRules, { engine }: FilterUsers): string[] {
  if (!gateway || engine === undefined) return [];
  return addressesOf(gateway).flatMap((address) => {
    const to = `from any to ${address}`;
    return [
      `pass out quick ${familyOf(address)} proto tcp ${to} port ${gateway.port} user ${engine} no state`,
      `pass out quick ${familyOf(address)} proto udp ${to} user ${engine} no state`,
    ];
  });
}

/**
 * DHCP, DHCPv6, neighbours and routers (RFC 2131, RFC 8415 §7.1, RFC 4861), on the link alone, and the reports without
 * which switches keep neighbours' questions from this machine (RFC 3810 §5), which have a hop-by-hop option.
 */
function linkRules({ networks }: FilterRules): string[] {
  const ofFamily = (isSix: boolean) => networks.onLink.filter((prefix) => prefix.includes(':') === isSix);
  const servers = ['255.255.255.255', ...ofFamily(false)];
  const neighbours = ['fe80::/10', 'ff02::/16', ...ofFamily(true).filter((one) => !one.startsWith('fe80:'))];
  return [
    `pass out quick inet proto udp from any port 68 to { ${servers.join(' ')} } port 67 no state`,
    'pass out quick inet6 proto udp from fe80::/10 port 546 to ff02::1:2 port 547 no state',
    ...['routersol', 'neighbrsol', 'neighbradv'].map(
      (type) =>
        `pass out quick inet6 proto ipv6-icmp from any to { ${neighbours.join(' ')} } icmp6-type ${type} no state`,
    ),
    ...[131, 132, 143].map(
      (type) =>
        `pass out quick inet6 proto ipv6-icmp from any to ff02::/16 icmp6-type ${type} no state allow-opts`,
    ),
  ];
}

/** Look-ups by resolvers that are only asked through the tunnel. */
function resolverRules({ resolvers }: FilterRules, device: string | undefined): string[] {
  return resolvers.map(
    (resolver) =>
      `block return out quick${outside(device)} ${familyOf(resolver)} proto { tcp udp } from any to ${resolver} port ${ports}`,
  );
}

const ports = `{ ${lookUpPorts.join(' ')} }`;

/** It has been let into the tunnel above, and may reach nothing else. */
const proxyRules = ({ proxy }: FilterUsers) =>
  proxy === undefined ? [] : [`block return out quick proto { tcp udp } all user ${proxy}`];

/** Whether everything that is captured is captured by destination. */
const byDestination = (captures: readonly Capture[]) => captures.filter(({ kind }) => kind !== 'proxy');

const internalRules = ({ captures, networks }: FilterRules) =>
  byDestination(captures).length === 0
    ? []
    : networks.internal.devices.map((name) => `pass out quick on ${name} all no state`);

/** After the engine's rules: on a local network, too, nobody else gets out by the proxy that leads to the gateway. */
const othersAtProxyRules = ({ captures, gateway }: FilterRules): string[] =>
  gateway?.isProxy
    ? addressesOf(gateway)
        .filter((address) => captures.some((capture) => isCaptured(capture, address)))
        .map(
          (address) =>
            `block return out quick ${familyOf(address)} proto tcp from any to ${address} port ${gateway.port}`,
        )
    : [];

function localRules(rules: FilterRules): string[] {
  const { captures, networks } = rules;
  const capturing = byDestination(captures).flatMap((capture) => (capture.kind === 'proxy' ? [] : capture));
  const local = localNetworksOf(networks, capturing);
  if (local.length === 0) return [];
  const ofFamilies = [false, true].flatMap((isSix) => {
    const prefixes = local.filter((prefix) => prefix.includes(':') === isSix);
    if (prefixes.length === 0) return [];
    const to = `{ ${[...prefixes, ...localMulticast[isSix ? 6 : 4]].join(' ')} }`;
    const family = isSix ? 'inet6' : 'inet';
    return [
      `block return out quick ${family} proto { tcp udp } from any to ${to} port ${ports}`,
      `pass out quick ${family} from any to ${to} no state`,
    ];
  });
  return [...othersAtProxyRules(rules), ...ofFamilies];
}

function captureRules(captures: readonly Capture[], device: string | undefined): string[] {
  return captures.flatMap((capture, index) => {
    switch (capture.kind) {
      case 'everything':
        return ['block return out quick all'];
      case 'prefixes':
        return [`block return out quick${outside(device)} from any to <${capturedTable(index)}>`];
      case 'proxy':
        return [];
      case 'group':
        throw new Error('programs cannot be told apart by group on macOS');
      default:
        return capture satisfies never;
    }
  });
}
