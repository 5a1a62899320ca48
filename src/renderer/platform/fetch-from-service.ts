import type { Fetch } from '#shared/api/client.ts';
import type { FetchStream } from '#shared/api/follow-events.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import { afterRunning } from './after-running.ts';

/** The browser adds nothing, and caches nothing. */
const plain = { cache: 'no-store', credentials: 'omit' } as const;

/** `fetch` for calls of the service from a page. Gives up after 20 s, including the body. */
export const fetchFromService: Fetch = async (url, request) => {
  const late = new AbortController();
  const stopWaiting = afterRunning(callTimeoutSeconds, () =>
    late.abort(new DOMException(`${url} was not answered`, 'TimeoutError')),
  );
  try {
    const response = await fetch(url, { ...request, ...plain, signal: late.signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text: () => Promise.resolve(text) };
  } finally {
    stopWaiting();
  }
};

/**
 * The same for a stream, which its reader ends. It has a lower priority than what the page displays, and browsers and
 * measuring tools do not treat the page as still loading.
 */
export const streamFromService: FetchStream = (url, request) =>
  fetch(url, { ...request, ...plain, priority: 'low' });
