import type { Fetch } from '#shared/api/client.ts';

/** `fetch` for calls of the service from a page: the browser adds nothing of its own, and keeps nothing. */
export const fetchFromService: Fetch = (url, request) =>
  fetch(url, { ...request, cache: 'no-store', credentials: 'omit' });
