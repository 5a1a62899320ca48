import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Fetch } from '#shared/api/client.ts';
import type { FetchStream } from '#shared/api/follow-events.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import { trustSystemRoots } from './gateway/system-roots.ts';

const headersOf = ({ headers }: { headers: Record<string, string> }) => ({ ...headers, connection: 'close' });

/** Options of every request to the service; see `fetchFromService`. */
const guarded = <Request extends { headers: Record<string, string> }>(request: Request) => ({
  ...request,
  headers: headersOf(request),
  redirect: 'error' as const,
});

/**
 * `fetch` for calls of the service. It gives up after 20 s, body included, and follows no redirects, because the
 * service has none and a redirect would send a request elsewhere. Each call uses a new connection: a connection that
 * stays open when a tunnel begins or ends uses the wrong route, and requests on it would wait in vain.
 */
export const fetchFromService: Fetch = async (url, request) => {
  trustSystemRoots();
  const signal = AbortSignal.timeout(callTimeoutSeconds * 1000);
  return await fetch(url, { ...guarded(request), signal });
};

/**
 * The same for a short answer. It rejects an answer of more than `maxBytes`, and stops reading: the other end may not
 * be the service, and may never stop sending.
 */
export async function fetchShort(
  url: string,
  request: Parameters<Fetch>[1],
  maxBytes: number,
): Promise<{ status: number; text: string }> {
  trustSystemRoots();
  const signal = AbortSignal.timeout(callTimeoutSeconds * 1000);
  const { status, body } = await fetch(url, { ...guarded(request), signal });
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`more than ${maxBytes} bytes from ${url}`);
    chunks.push(chunk);
  }
  return { status, text: Buffer.concat(chunks).toString('utf8') };
}

/**
 * The same for a stream, which the reader ends. It does not use Node's `fetch`: as long as one of its replies is open,
 * it wakes the process twice a second to check for timeouts (undici, lib/util/timers.js).
 */
export const streamFromService: FetchStream = async (url, request) => {
  trustSystemRoots();
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const { method, signal } = request;
  const sent = send(url, { method, signal, headers: headersOf(request), agent: false });
  // Once there is a reply, errors are reported on the reply.
  sent.on('error', () => undefined);
  sent.end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: reply.statusCode ?? 0,
    headers: { get: (name) => [reply.headers[name] ?? null].flat().join() || null },
    body: Readable.toWeb(reply) as ReadableStream<Uint8Array>,
  };
};
