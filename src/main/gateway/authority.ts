import { isIPv6 } from 'node:net';
import type { Gateway } from '#shared/tunnel/state.ts';

/** The host, with the port unless it is the default, as in an address. */
export function authority({ host, port }: Gateway): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}

export function isSameGateway(one: Gateway, other: Gateway): boolean {
  return one.port === other.port && one.host.toLowerCase() === other.host.toLowerCase();
}
