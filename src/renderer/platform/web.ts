import type { HostTransport } from '#shared/host/transport.ts';
import { createInPageTransport } from './in-page-transport.ts';
import { storageKeys } from './storage-keys.ts';
import { describeBrowser } from './web-device.ts';
import { createWebHost } from './web-host.ts';

/** The transport of the web console; in development with the mock tunnel where `?mock` or VITE_MOCK asks for it. */
export async function createWebTransport(): Promise<HostTransport> {
  const mock =
    import.meta.env.DEV && (new URLSearchParams(location.search).has('mock') || import.meta.env.VITE_MOCK)
      ? await import('./web-mock-tunnel.ts')
      : undefined;
  return createInPageTransport((emit) => {
    const host = createWebHost({
      baseUrl: import.meta.env.VITE_API_URL ?? '',
      fetch: (url, request) => fetch(url, { ...request, cache: 'no-store', credentials: 'omit' }),
      storage: localStorage,
      device: describeBrowser(),
      // Not `crypto.randomUUID`: browsers offer it over https only, and the console may be served without.
      newDeviceId: randomUuid,
      openExternal: (url) => {
        window.open(url, '_blank', 'noopener,noreferrer');
        return true;
      },
      emit,
    });
    // Another tab signed in or out.
    window.addEventListener('storage', (event) => {
      if (event.key === storageKeys.token || event.key === null) {
        void Promise.resolve(host.session.get(undefined)).then((now) => emit('session.changed', now));
      }
    });
    return mock ? mock.withMockTunnel(host, emit) : host;
  });
}

/** A version 4 UUID (RFC 9562 §5.4). */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
