import { defaultGateway } from '../constants.ts';
import type { Server } from '../entities.ts';
import { gateway, type Gateway } from './state.ts';

/** The address of a server as the host takes it, e.g. `anyconnect://gw.example.net:443` (specification §7). */
export function serverAddress(server: Pick<Server, 'protocol' | 'domain' | 'port'>): string {
  const host = server.domain.includes(':') ? `[${server.domain}]` : server.domain;
  return `${server.protocol ?? defaultGateway.protocol}://${host}:${server.port ?? defaultGateway.port}`;
}

/** The gateway that an address names, or undefined if it is not one of ours. */
export function parseServerAddress(address: string): Gateway | undefined {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9A-Fa-f:]+\]|[^\s/@:?#[\]]+)(?::(\d{1,5}))?\/?$/.exec(
    address,
  );
  if (!match) return undefined;
  const [, protocol = defaultGateway.protocol, host = '', port] = match;
  if (protocol !== defaultGateway.protocol) return undefined;
  const parsed = gateway.safeParse({
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? defaultGateway.port : Number(port),
  });
  return parsed.success ? parsed.data : undefined;
}
