import { once } from 'node:events';
import { createServer, type AddressInfo, type ListenOptions, type Socket } from 'node:net';
import { pacFile } from '#shared/tunnel/pac-file.ts';
import { createClientLimit } from './client-limit.ts';
import type { Destination } from './destination.ts';
import { createHttpProxy } from './http-proxy.ts';
import { openDestination } from './open-destination.ts';
import { startOpeningDeadline } from './opening-deadline.ts';
import { pacFilePath, servePacFile, type PacFile } from './serve-pac-file.ts';
import { closedPolicy, createBlocking, createPolicy, type Policy } from './policy.ts';
import type { ProxyLists, ProxyMessage, ProxyReady } from './proxy-messages.ts';
import { serveSocks5 } from './socks5.ts';
import { socksVersion } from './socks5-messages.ts';

/** Clients at a time. */
const maxClients = 1024;

export interface ProxyServer {
  /** Puts a configuration in force for new connections. */
  configure(message: ProxyMessage): ProxyReady;
}

/** Where it listens, on 127.0.0.1: a socket that does so already, by its descriptor, or a port. */
export type ProxyListening = Pick<ListenOptions, 'port' | 'host'> | { fd: number };

/** Serves SOCKS 5, HTTP proxying and the PAC file there. Rejects if that is not possible. */
export async function startProxyServer(
  listening: ProxyListening,
  warn: (message: string) => void,
): Promise<ProxyServer> {
  let policy: Policy = closedPolicy;
  /** The parsed lists. */
  let listed: { isBlocked: Policy['isBlocked']; pacPath: string; pac: PacFile } | undefined;
  const paths = new Set<string>();
  const open = (destination: Destination, signal: AbortSignal) =>
    openDestination(destination, policy, signal);
  const http = createHttpProxy({
    open,
    serveOwn: (request, response) => servePacFile(request, response, listed?.pac),
  });

  const limit = createClientLimit(maxClients);
  const server = createServer(
    // Without keep-alive: clients on the same machine do not disappear silently.
    { allowHalfOpen: true, noDelay: true },
    (client) => {
      // For the client's whole life: an error closes it, and everybody else listens to 'close'.
      client.on('error', () => undefined);
      if (!limit.admit(client)) {
        client.destroy();
        return;
      }
      const opening = startOpeningDeadline(client, () => limit.requestRead(client));
      onFirstByte(client, (byte) => {
        if (byte === socksVersion) serveSocks5(client, opening, open).catch(() => client.destroy());
        else http.serve(client, opening);
      });
    },
  );
  server.listen({ ...listening, backlog: maxClients });
  await once(server, 'listening');
  // For example, no file descriptor is left; the next client may succeed.
  server.on('error', (error) => warn(`a client could not be taken: ${error.message}`));
  const { port } = server.address() as AddressInfo;

  function read(lists: ProxyLists) {
    const text = pacFile({ ...lists, port });
    const pacPath = pacFilePath(text);
    return { isBlocked: createBlocking(lists), pacPath, pac: { paths: paths.add(pacPath), text } };
  }

  return {
    configure({ lists, ...rest }) {
      listed = lists ? read(lists) : listed;
      if (!listed) throw new Error('there are no lists from before');
      policy = createPolicy(rest, listed.isBlocked);
      return { pacPath: listed.pacPath };
    },
  };
}

/** Calls back with a client's first byte, which stays in the stream; closes a client that sends nothing. */
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
