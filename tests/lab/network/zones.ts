import { addresses, names, type AddressPair } from './addresses.ts';

/** What a resolver of the laboratory knows: host names with their addresses. */
export type Zone = Readonly<Record<string, Partial<AddressPair>>>;

/** Whether the gateway's name has an IPv6 address too. */
export type GatewayFamilies = 'ipv4' | 'dual-stack';

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
  return { ...common(families), [names.where]: addresses.direct };
}

/** What the VPN's own resolver answers. */
export function insideZone(families: GatewayFamilies): Zone {
  return { ...common(families), [names.where]: addresses.inside, [names.inside]: addresses.inside };
}
