import { isIP } from 'node:net';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import { localMulticast, lookUpPorts } from '../../network/local-traffic.ts';
import { portalPorts } from '../../system/ports/portal-port.ts';
import { type Filter, nftFamilyOf } from './chain.ts';

/** What may leave although it is captured, as nftables rules. */

/** The ports of look-ups. */
export const nameServicePorts = `{ ${lookUpPorts.join(', ')} }`;

/** The set of users whom the filter lets out to a portal. */
export const portalSet = 'portal';

/**
 * Only the engine's user: otherwise somebody could make a site's name resolve to the gateway's address, and its
 * visitors' traffic would leave in the clear (TunnelCrack, ServerIP; https://tunnelcrack.mathyvanhoef.com). To any port
 * by UDP: a gateway names it (`X-DTLS-Port`) while the engine already sends to it, and what is refused once is not
 * tried again for a minute.
 */
export function engineRules({ gateway, engineUid }: Filter, protocol: 'tcp' | 'udp'): string[] {
  if (!gateway || engineUid === undefined) return [];
  const sent = protocol === 'udp' ? 'meta l4proto udp' : `tcp dport ${gateway.port}`;
  return addressesOf(gateway).map(
    (address) => `${nftFamilyOf(address)} daddr ${address} ${sent} meta skuid ${engineUid} accept`,
  );
}

/**
 * Packets from the tunnel's address that no longer find a route into it. Dropped: the address may not be this machine's
 * any more, and a rejection, which quotes them, would go out to it.
 */
export const fromOwnAddress = ({ tunnelAddresses }: Filter): string[] =>
  tunnelAddresses.map((own) => `oifname != "lo" ${nftFamilyOf(own)} saddr ${own} drop`);

/** The portal's proxy runs as the engine's user; the machine's own users are not let out. */
export function portalRules({ portal }: Filter): string[] {
  if (!portal) return [];
  const asked = portal.resolvers.filter((address) => isIP(address) !== 0);
  return [
    `tcp dport { ${portalPorts.join(', ')} } meta skuid @${portalSet} accept`,
    ...(['ip', 'ip6'] as const).flatMap((family) => {
      const resolvers = asked.filter((address) => nftFamilyOf(address) === family);
      if (resolvers.length === 0) return [];
      const to = `${family} daddr { ${[...new Set(resolvers)].join(', ')} }`;
      return [`${to} meta l4proto { tcp, udp } th dport 53 meta skuid @${portalSet} accept`];
    }),
  ];
}

/**
 * Lets the uplink keep its own address: DHCP (RFC 2131; §4.4.5 renews with the server directly), DHCPv6 (RFC 8415
 * §7.1), neighbours and routers (RFC 4861), and the reports without which switches that listen in keep neighbours'
 * questions from this machine (RFC 3810, RFC 4541 §3). On the link only, otherwise it would be a way to anywhere.
 */
export function linkRules({ networks }: Filter): string[] {
  const [ipv4, ipv6] = [false, true].map((isSix) =>
    networks.onLink.filter((prefix) => prefix.includes(':') === isSix),
  ) as [string[], string[]];
  const neighbours = ['fe80::/10', 'ff02::/16', ...ipv6.filter((prefix) => !prefix.startsWith('fe80:'))];
  return [
    `udp sport 68 udp dport 67 ip daddr { ${['255.255.255.255', ...ipv4].join(', ')} } accept`,
    'ip6 saddr fe80::/10 udp sport 546 udp dport 547 ip6 daddr ff02::1:2 accept',
    `icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 ip6 daddr { ${neighbours.join(', ')} } accept`,
    'icmpv6 type { mld-listener-report, mld-listener-done, mld2-listener-report } ip6 hoplimit 1 ip6 daddr ff02::/16 accept',
  ];
}

/** The set of devices that lead to containers and virtual machines, if there are any. */
export function internalDevices({ networks }: Filter): string[] {
  const names = networks.internal.devices.map((name) => `"${name}"`);
  return names.length > 0 ? [`{ ${names.join(', ')} }`] : [];
}

/**
 * Frames that a bridge passes from one port to another come to this filter as well, if the kernel is told so
 * (net.bridge.bridge-nf-call-iptables), with the bridge as both devices. They are between others: guests in a bridge
 * are machines of their own in its network, and without that setting nobody would ask the filter about them.
 */
export function bridgedRules({ networks: { bridges } }: Filter): string[] {
  const pairs = bridges.map((name) => `"${name}" . "${name}"`);
  return pairs.length > 0 ? [`iifname . oifname { ${pairs.join(', ')} } accept`] : [];
}

export function localPrefixes({ localNetworks }: Filter) {
  return (['ip', 'ip6'] as const)
    .map((family) => ({
      family,
      prefixes: localNetworks.filter((prefix) => nftFamilyOf(prefix.split('/')[0] ?? '') === family),
    }))
    .filter(({ prefixes }) => prefixes.length > 0);
}

/** After the engine's rules: on a local network, too, nobody else gets out by the proxy. */
function othersAtProxyRules({ gateway }: Filter): string[] {
  if (!gateway?.isProxy) return [];
  return addressesOf(gateway).map(
    (address) => `${nftFamilyOf(address)} daddr ${address} tcp dport ${gateway.port} goto refuse`,
  );
}

export function localNetworkRules(filter: Filter): string[] {
  if (filter.localNetworks.length === 0) return [];
  return [
    `meta l4proto { tcp, udp } th dport ${nameServicePorts} goto refuse`,
    ...othersAtProxyRules(filter),
    ...localPrefixes(filter).map(
      ({ family, prefixes }) =>
        `${family} daddr { ${[...prefixes, ...localMulticast[family === 'ip' ? 4 : 6]].join(', ')} } accept`,
    ),
  ];
}
