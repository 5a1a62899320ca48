import type { Fetch } from '#shared/api/client.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';

/**
 * `fetch` for calls of the service from a page: the browser adds nothing of its own, and keeps nothing. Gives up after
 * 20 s, body included.
 */
export const fetchFromService: Fetch = async (url, request) => {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException(`${url} was not answered`, 'TimeoutError')),
    callTimeoutSeconds * 1000,
  );
  try {
    const response = await fetch(url, {
      ...request,
      cache: 'no-store',
      credentials: 'omit',
      signal: late.signal,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text: () => Promise.resolve(text) };
  } finally {
    clearTimeout(timer);
  }
};
