import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RelayedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * A place between two processes, at which a test sees each request and its answer, and decides what becomes of them.
 */
export interface Relay extends AsyncDisposable {
  url: string;
  /** Where requests go on to; nobody answers while it is undefined. */
  target: string | undefined;
  /** Is awaited before a request goes on, and may send others. */
  before: (request: RelayedRequest) => Promise<void>;
  /** Is awaited before the answer goes back. */
  after: (request: RelayedRequest, status: number) => Promise<void>;
  /** Sends a request on. */
  send(request: RelayedRequest): Promise<Response>;
}

export async function startRelay(): Promise<Relay> {
  const server = createServer((request, response) => {
    handle(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      // What the other side's death looks like.
      () => request.socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: undefined,
    before: async () => undefined,
    after: async () => undefined,
    send({ method, path, headers, body }) {
      if (relay.target === undefined) throw new Error('nobody answers');
      const isRead = method === 'GET';
      return fetch(relay.target + path, { method, headers, ...(!isRead && { body: new Uint8Array(body) }) });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(request: IncomingMessage) {
    const { method = '', url: path = '', headers } = request;
    const kept = ['authorization', 'content-type', 'waymaker-signature'];
    const relayed: RelayedRequest = {
      method,
      path,
      headers: Object.fromEntries(
        kept.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
      ),
      body: await buffer(request),
    };
    await relay.before(relayed);
    const reply = await relay.send(relayed);
    const body = Buffer.from(await reply.arrayBuffer());
    await relay.after(relayed, reply.status);
    return { status: reply.status, body };
  }

  return relay;
}
