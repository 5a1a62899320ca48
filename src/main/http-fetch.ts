import type { Fetch } from '#shared/api/client.ts';
import { trustSystemRoots } from './system-roots.ts';

const requestTimeoutMs = 20_000;

/**
 * `fetch` for calls of the service: gives up after 20 s, body included, and follows no redirects, because
 * the service has none and a redirect would carry a request elsewhere.
 */
export const fetchFromService: Fetch = async (url, request) => {
  trustSystemRoots();
  return await fetch(url, {
    ...request,
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
};
