import type { HostTransport } from '#shared/host/transport.ts';
import { eventsWhenSignedIn } from './events-when-signed-in.ts';
import { fetchFromService } from './fetch-from-service.ts';
import { createInPageTransport } from './in-page-transport.ts';
import { openLocalStorage } from './local-storage.ts';
import { randomUuid } from './random-uuid.ts';
import { storageKeys } from './storage-keys.ts';
import { describeBrowser } from './web-device.ts';
import { createWebHost } from './web-host.ts';

/** The transport of the web console; in development with the mock tunnel, if `?mock` or VITE_MOCK asks for it. */
export async function createWebTransport(): Promise<HostTransport> {
  const mock =
    import.meta.env.DEV && (new URLSearchParams(location.search).has('mock') || import.meta.env.VITE_MOCK)
      ? await import('./web-mock-tunnel.ts')
      : undefined;
  return createInPageTransport((emit) => {
    const storage = openLocalStorage();
    const host = createWebHost({
      baseUrl: import.meta.env.VITE_API_URL ?? '',
      fetch: fetchFromService,
      ...storage,
      device: describeBrowser(),
      newDeviceId: randomUuid,
      openExternal: (url) => {
        window.open(url, '_blank', 'noopener,noreferrer');
        return true;
      },
      followEvents: eventsWhenSignedIn(async () => {
        const { followPageEvents } = await import('./page-events.ts');
        return followPageEvents(storage.isKept);
      }),
      emit,
    });
    // Another tab signed in or out; without a key, it has cleared everything, and may have signed in since.
    window.addEventListener('storage', ({ key }) => {
      if (key === storageKeys.look) host.lookChanged();
      if (key !== storageKeys.token && key !== null) return;
      // What this tab displays, and was about to do, belongs to another user.
      if (!host.changed({ isEmptied: key === null })) location.reload();
    });
    return mock ? mock.withMockTunnel(host, emit) : host;
  });
}
