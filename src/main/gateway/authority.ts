import { isIPv6 } from 'node:net';
import type { Gateway } from '#shared/tunnel/state.ts';

/** Host, and port unless it is the default one, as an address names them. */
export function authority({ host, port }: Gateway): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}

export function isSameGateway(one: Gateway, other: Gateway): boolean {
  return one.port === other.port && one.host.toLowerCase() === other.host.toLowerCase();
}
