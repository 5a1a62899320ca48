import { connect, type Socket } from 'node:net';

/**
 * Opens a TCP connection, which may still be connecting, and may have failed: where the system refuses at once, as
 * without a route, its error comes before whoever waits for the promise can listen, and nobody's error would end the
 * process.
 */
export const openTcp = (host: string, port: number): Promise<Socket> =>
  Promise.resolve(connect({ host, port }).on('error', () => undefined));
