import { addresses, names, type AddressPair } from './addresses.ts';

/** What a resolver of the laboratory knows: host names with their addresses. */
export type Zone = Readonly<Record<string, Partial<AddressPair>>>;

/** Whether the gateway's name has an IPv6 address too. */
export type GatewayFamilies = 'ipv4' | 'dual-stack';

/** Within which the internet's translator (NAT64) has the addresses of IPv4. */
export const translatorPrefix = '2001:db8:64::';

function common(families: GatewayFamilies): Zone {
  const gateway = (pair: AddressPair) => (families === 'ipv4' ? { ipv4: pair.ipv4 } : pair);
  return {
    [names.gateway]: gateway(addresses.gateway),
    [names.untrustedGateway]: gateway(addresses.untrustedGateway),
    [names.service]: addresses.service,
    [names.echo]: addresses.echo,
    [names.direct]: addresses.direct,
    [names.probes]: addresses.echo,
  };
}

/** What the internet's public resolver answers. */
export function publicZone(families: GatewayFamilies): Zone {
  return {
    ...common(families),
    [names.where]: addresses.direct,
    // By which a translator's prefix is found out (RFC 7050).
    'ipv4only.arpa': { ipv4: '192.0.0.170', ipv6: `${translatorPrefix}192.0.0.170` },
  };
}

/** What the VPN's own resolver answers. */
export function insideZone(families: GatewayFamilies): Zone {
  return { ...common(families), [names.where]: addresses.inside, [names.inside]: addresses.inside };
}
