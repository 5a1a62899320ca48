import { isIP } from 'node:net';

/** What TLS is told of a host: a name without its final dot, and no address (RFC 6066 §3). */
export const serverName = (host: string): string => (isIP(host) === 0 ? host.replace(/\.$/, '') : '');
