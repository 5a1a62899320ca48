import * as z from 'zod/mini';
import { defaultGateway } from '../constants.ts';
import type { Server } from '../entities.ts';
import { gateway, type Gateway } from './state.ts';

/** Where a gateway's sign-in begins: path and query as written in an address (RFC 3986 §3.3, §3.4). */
export const gatewayPath = z
  .string()
  .check(z.maxLength(256), z.regex(/^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]*(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?$/));

/** A server's address in the form that the host takes, e.g. `anyconnect://gw.example.net:443` (specification §7). */
export function serverAddress(server: Pick<Server, 'protocol' | 'domain' | 'port' | 'path'>): string {
  const host = server.domain.includes(':') ? `[${server.domain}]` : server.domain;
  const { protocol = defaultGateway.protocol, port = defaultGateway.port, path = '' } = server;
  return `${protocol}://${host}:${port}${path}`;
}

export interface ServerAddress {
  gateway: Gateway;
  /** Where its sign-in begins; `/` if the address does not say. */
  path: string;
}

/** The parts of an address, or undefined if it is not a gateway that we support. */
export function parseServerAddress(address: string): ServerAddress | undefined {
  const match =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9A-Fa-f:]+\]|[^\s/@:?#[\]]+)(?::(\d{1,5}))?(\/.*)?$/.exec(address);
  if (!match) return undefined;
  const [, protocol = defaultGateway.protocol, host = '', port, path = '/'] = match;
  if (protocol !== defaultGateway.protocol || !gatewayPath.safeParse(path).success) return undefined;
  const parsed = gateway.safeParse({
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? defaultGateway.port : Number(port),
  });
  return parsed.success ? { gateway: parsed.data, path } : undefined;
}
