import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readAuthority, type Destination } from './destination.ts';
import { forwardRequest, readAbsoluteTarget } from './forward-request.ts';
import { dropsLength } from './hop-by-hop.ts';
import { refuseConnect, refuseRequest, statusOfFailure } from './http-refusal.ts';
import { relay } from './relay.ts';
import type { Opened } from './open-destination.ts';
import type { OpeningDeadline } from './opening-deadline.ts';

/** The maximum length of request line and fields together, in bytes. */
const requestHeadBytes = 16 * 1024;

export interface HttpProxyOptions {
  open: (destination: Destination, signal: AbortSignal) => Promise<Opened>;
  /** Answers requests to the proxy itself, recognised by a target in origin form. */
  serveOwn: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An HTTP proxy (RFC 9110 §3.7) that takes over clients from their first byte; one request per connection. */
export function createHttpProxy({ open, serveOwn }: HttpProxyOptions) {
  const openings = new WeakMap<Socket, OpeningDeadline>();

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const opening = openings.get(request.socket);
    opening?.requestRead();
    const { url = '', method = '' } = request;
    if (url.startsWith('/') || url === '*') {
      // It also has to accept the answer in time.
      opening?.signal.addEventListener('abort', () => void request.socket.destroy());
      serveOwn(request, response);
      return;
    }
    const target = readAbsoluteTarget(url, method);
    const destination = target && readAuthority(target.authority, 80);
    if (!opening || !target || !destination || dropsLength(request.rawHeaders)) {
      refuseRequest(response, 400);
      return;
    }
    // RFC 9110 §9.3.8: the final recipient would send the request back, with everything that was added on the way.
    if (method === 'TRACE') {
      refuseRequest(response, 405);
      return;
    }
    const opened = await open(destination, opening.signal);
    opening.finish();
    if (opened.ok) forwardRequest(request, response, target, opened.socket);
    else refuseRequest(response, statusOfFailure[opened.failure]);
  }

  async function connect(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // Immediately: once the client has ended, nothing can be put back.
    if (head.length > 0) client.unshift(head);
    const opening = openings.get(client);
    opening?.requestRead();
    const destination = readAuthority(request.url ?? '');
    if (!opening || !destination) {
      refuseConnect(client, 400);
      return;
    }
    const opened = await open(destination, opening.signal);
    opening.finish();
    if (!opened.ok) {
      refuseConnect(client, statusOfFailure[opened.failure]);
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    relay(client, opened.socket);
  }

  // A failure with one client ends only that client.
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    forward(request, response).catch(() => request.socket.destroy());
  };
  const server = createServer({ maxHeaderSize: requestHeadBytes }, onRequest);
  // Node answers 503 to a second request that is sent without waiting.
  server.maxRequestsPerSocket = 1;
  server.on('checkContinue', onRequest);
  server.on('connect', (request, client, head) => {
    connect(request, client as Socket, head).catch(() => client.destroy());
  });
  return {
    serve(client: Socket, opening: OpeningDeadline): void {
      openings.set(client, opening);
      server.emit('connection', client);
    },
  };
}
