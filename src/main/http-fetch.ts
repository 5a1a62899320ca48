import type { Fetch } from '#shared/api/client.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import { trustSystemRoots } from './gateway/system-roots.ts';

/**
 * `fetch` for calls of the service: gives up after 20 s, body included, and follows no redirects, because
 * the service has none and a redirect would carry a request elsewhere. Each call has a connection of its own: one
 * that is kept over the beginning or the end of a tunnel goes the wrong way, and whoever uses it waits in vain.
 */
export const fetchFromService: Fetch = async (url, request) => {
  trustSystemRoots();
  return await fetch(url, {
    ...request,
    headers: { ...request.headers, connection: 'close' },
    redirect: 'error',
    signal: AbortSignal.timeout(callTimeoutSeconds * 1000),
  });
};
