import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, Readable, type Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Fetch } from '#shared/api/client.ts';
import type { FetchStream } from '#shared/api/follow-events.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import {
  byTrustedRoots,
  findAddedRoots,
  lacksRoot,
  trustSystemRoots,
} from '#node/anyconnect/system-roots.ts';
import { openWithFittingMessage, type Opening } from '#node/tls/first-message.ts';
import { openTcp } from '#node/tls/open-tcp.ts';
import { serverName } from '#node/tls/server-name.ts';

type Request = Parameters<Fetch>[1] & { signal: AbortSignal };

/** Opens a TCP connection, which may still be connecting. */
export type OpenTcp = (host: string, port: number) => Promise<Socket>;

/**
 * Sends a request over a new connection, and resolves with the head of the reply. A connection that stays open when a
 * tunnel begins or ends uses the wrong route, and requests on it would wait in vain.
 *
 * This does not use Node's `fetch`: if the other end closes a connection while a reply is read more slowly than it
 * arrives, the process ends with an error that nobody can catch (nodejs/undici#5360). And as long as one of its replies
 * is open, it wakes the process twice a second to check for timeouts (undici, lib/util/timers.js).
 */
async function send(url: string, request: Request, open: OpenTcp): Promise<IncomingMessage> {
  trustSystemRoots();
  try {
    return await sendOnce(url, request, open);
  } catch (error) {
    // Nothing was sent to whoever has that certificate. A root may have been added since this process has read them.
    const isRefused = error instanceof Error && 'code' in error && lacksRoot(error.code);
    if (isRefused && (await findAddedRoots())) return await sendOnce(url, request, open);
    throw error;
  }
}

async function sendOnce(
  url: string,
  { method, headers, body, signal }: Request,
  open: OpenTcp,
): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const request = isSecure ? requestHttps : requestHttp;
  const sent = request(url, {
    method,
    signal,
    createConnection: isSecure
      ? secureConnection(new URL(url), signal, open)
      : plainConnection(new URL(url), open),
    headers: {
      ...headers,
      connection: 'close',
      // Node only sets it by itself for methods that usually have a body.
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
  });
  // Once there is a reply, errors are reported on the reply.
  sent.on('error', () => undefined);
  sent.end(body);
  // After "101 Switching Protocols", Node ends the request without an event.
  const [reply] = (await once(sent, 'response', { signal })) as [IncomingMessage];
  // Nobody may be reading it when its connection ends.
  reply.on('error', () => undefined);
  return reply;
}

/** Without an agent, so that it is of this request only. */
function secureConnection(
  { hostname, port }: URL,
  signal: AbortSignal,
  open: OpenTcp,
): RequestOptions['createConnection'] {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (_options, callback) => {
    const work: Opening<TLSSocket> = {
      host,
      connect: () => open(host, Number(port || 443)),
      secure: (transport, how) => secure(host, transport, how),
      signal,
    };
    void answerWith(openWithFittingMessage(work), callback);
    return undefined;
  };
}

function plainConnection({ hostname, port }: URL, open: OpenTcp): RequestOptions['createConnection'] {
  return (_options, callback) => {
    void answerWith(open(hostname.replace(/^\[|\]$/g, ''), Number(port || 80)), callback);
    return undefined;
  };
}

async function answerWith(
  opening: Promise<Socket>,
  callback: (error: Error | null, socket: Duplex) => void,
): Promise<void> {
  // The type demands a connection beside an error.
  const fail = callback as (error: unknown) => void;
  let socket: Socket;
  try {
    socket = await opening;
  } catch (error) {
    return fail(error);
  }
  callback(null, socket);
}

async function secure(
  host: string,
  transport: Socket,
  { groups, signal }: { groups: string | undefined; signal: AbortSignal },
): Promise<TLSSocket> {
  const socket = connectTls({
    ...byTrustedRoots,
    socket: transport,
    host,
    servername: serverName(host),
    ALPNProtocols: ['http/1.1'],
    ...(groups !== undefined && { ecdhCurve: groups }),
  });
  // It may fail before anybody else listens.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    transport.destroy();
    throw error;
  }
}

const headersOf = (reply: IncomingMessage) => ({
  get: (name: string) => [reply.headers[name] ?? null].flat().join() || null,
});

/** A reply of the service; redirects are refused, because it has none and one would send the request elsewhere. */
async function sendToService(url: string, request: Request, open: OpenTcp): Promise<IncomingMessage> {
  const headers = { ...request.headers, 'accept-encoding': 'br, gzip' };
  const reply = await send(url, { ...request, headers }, open);
  if ([301, 302, 303, 307, 308].includes(reply.statusCode ?? 0)) {
    reply.destroy();
    throw new Error('a redirect where none is expected');
  }
  return reply;
}

/** The body of a reply, decompressed. */
function bodyOf(reply: IncomingMessage): Readable {
  // Some proxies name an encoding for replies that have no body.
  const isEmpty = [204, 304].includes(reply.statusCode ?? 0);
  const coding = (reply.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = isEmpty ? undefined : decoders.get(coding)?.();
  // Whoever reads the body gets its error.
  return decoder ? pipeline(reply, decoder, () => undefined) : reply;
}

/**
 * By the coding's name in small letters: gateways and proxies write it in any, and two names mean gzip (RFC 9110
 * §8.4.1).
 */
const decoders: ReadonlyMap<string, () => ReturnType<typeof createGunzip>> = new Map([
  ['br', () => createBrotliDecompress()],
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
]);

/** Rejects with the reason of the signal once that is aborted, whatever has failed because of it. */
async function withReason<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const timeout = () => AbortSignal.timeout(callTimeoutSeconds * 1000);

/** How the service is asked. */
export interface ServiceFetch {
  /** `fetch` for calls of the service: gives up after 20 s, body included, and follows no redirects. */
  call: Fetch;
  /**
   * The same for a short answer. It rejects an answer of more than `maxBytes`, and stops reading: the other end may not
   * be the service, and may never stop sending.
   */
  short: (
    url: string,
    request: Parameters<Fetch>[1],
    maxBytes: number,
  ) => Promise<{ status: number; text: string }>;
  /** The same for a stream, which the reader ends. */
  stream: FetchStream;
}

export function createServiceFetch(open: OpenTcp = openTcp): ServiceFetch {
  return {
    async call(url, request) {
      const signal = timeout();
      const reply = await withReason(signal, sendToService(url, { ...request, signal }, open));
      return {
        status: reply.statusCode ?? 0,
        headers: headersOf(reply),
        text: () => withReason(signal, text(bodyOf(reply))),
      };
    },
    async short(url, request, maxBytes) {
      const signal = timeout();
      return await withReason(
        signal,
        (async () => {
          const reply = await sendToService(url, { ...request, signal }, open);
          const chunks: Uint8Array[] = [];
          let length = 0;
          // Leaving the loop closes the connection.
          for await (const chunk of bodyOf(reply) as AsyncIterable<Uint8Array>) {
            length += chunk.length;
            if (length > maxBytes) throw new Error(`more than ${maxBytes} bytes from ${url}`);
            chunks.push(chunk);
          }
          return { status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
        })(),
      );
    },
    async stream(url, request) {
      const reply = await send(url, { ...request, signal: request.signal as AbortSignal }, open);
      return {
        status: reply.statusCode ?? 0,
        headers: headersOf(reply),
        body: Readable.toWeb(reply) as ReadableStream<Uint8Array>,
      };
    },
  };
}

/** Only the head of the answer to a call; its body is not read. */
export async function headFromService({ url, signal }: { url: string; signal: AbortSignal }) {
  const reply = await sendToService(url, { method: 'GET', headers: {}, signal }, openTcp);
  reply.destroy();
  return { status: reply.statusCode ?? 0, ...headersOf(reply) };
}
