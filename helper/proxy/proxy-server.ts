import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pacFile } from '#shared/tunnel/pac-file.ts';
import type { Destination } from './destination.ts';
import { createHttpProxy } from './http-proxy.ts';
import { keepAliveMilliseconds, openDestination } from './open-destination.ts';
import { startOpeningDeadline } from './opening-deadline.ts';
import { pacFilePath, servePacFile, type PacFile } from './pac-response.ts';
import { closedPolicy, createPolicy, type Policy } from './policy.ts';
import type { ProxyConfiguration, ProxyReady } from './proxy-messages.ts';
import { serveSocks5 } from './socks5.ts';
import { socksVersion } from './socks5-messages.ts';

/** Clients at a time; more are closed as they come. */
const maxClients = 1024;

export interface ProxyServer {
  /** Puts a configuration in force for connections that come from now on. */
  configure(configuration: ProxyConfiguration): ProxyReady;
}

/** Listens on `wantedPort` of 127.0.0.1, or a free one if that is taken, for SOCKS 5, HTTP proxying and the PAC file. */
export async function startProxyServer(
  wantedPort: number,
  warn: (message: string) => void,
): Promise<ProxyServer> {
  let policy: Policy = closedPolicy;
  let pac: PacFile | undefined;
  const paths = new Set<string>();
  const open = (destination: Destination, signal: AbortSignal) =>
    openDestination(destination, policy, signal);
  const http = createHttpProxy({
    open,
    serveOwn: (request, response) => servePacFile(request, response, pac),
  });

  const server = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMilliseconds },
    (client) => {
      // For the client's whole life: an error closes it, and that is what the others listen to.
      client.on('error', () => undefined);
      const opening = startOpeningDeadline(client);
      onFirstByte(client, (byte) => {
        if (byte === socksVersion) serveSocks5(client, opening, open).catch(() => client.destroy());
        else http.serve(client, opening);
      });
    },
  );
  server.maxConnections = maxClients;
  await listen(server, wantedPort).catch(() => listen(server, 0));
  // E.g. no file descriptor left for a client; the next one may have more luck.
  server.on('error', (error) => warn(`a client could not be taken: ${error.message}`));
  const { port } = server.address() as AddressInfo;

  return {
    configure(configuration) {
      const text = pacFile({ ...configuration, port });
      policy = createPolicy(configuration);
      const pacPath = pacFilePath(text);
      pac = { paths: paths.add(pacPath), text };
      return { port, pacPath };
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** Calls back with a client's first byte, which stays to be read; closes a client that says nothing. */
function onFirstByte(client: Socket, take: (byte: number | undefined) => void): void {
  const onEnd = () => void client.destroy();
  client.once('end', onEnd);
  client.once('data', (bytes: Buffer) => {
    client.off('end', onEnd);
    client.pause();
    client.unshift(bytes);
    take(bytes[0]);
    client.resume();
  });
}
