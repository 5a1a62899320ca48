import type { Fetch } from '#shared/api/client.ts';
import type { FetchStream } from '#shared/api/follow-events.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import { trustSystemRoots } from './gateway/system-roots.ts';

/** What every request of the service is made with; see `fetchFromService`. */
const guarded = <Request extends { headers: Record<string, string> }>(request: Request) => ({
  ...request,
  headers: { ...request.headers, connection: 'close' },
  redirect: 'error' as const,
});

/**
 * `fetch` for calls of the service: gives up after 20 s, body included, and follows no redirects, because
 * the service has none and a redirect would carry a request elsewhere. Each call has a connection of its own: one
 * that is kept over the beginning or the end of a tunnel goes the wrong way, and whoever uses it waits in vain.
 */
export const fetchFromService: Fetch = async (url, request) => {
  trustSystemRoots();
  const signal = AbortSignal.timeout(callTimeoutSeconds * 1000);
  return await fetch(url, { ...guarded(request), signal });
};

/**
 * The same for an answer of few bytes. It rejects one of more than `maxBytes`, and reads no further: who answers may not
 * be the service, and may never end.
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
  // To leave the loop ends the connection.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`more than ${maxBytes} bytes from ${url}`);
    chunks.push(chunk);
  }
  return { status, text: Buffer.concat(chunks).toString('utf8') };
}

/** The same for a stream, which ends when who reads it wants. */
export const streamFromService: FetchStream = (url, request) => {
  trustSystemRoots();
  return fetch(url, guarded(request));
};
