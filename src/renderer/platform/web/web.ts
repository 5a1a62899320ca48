import { createHostClient } from '#shared/host/client.ts';
import type { Host, HostContract } from '#shared/host/contract.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import { eventsWhenSignedIn } from '../events-when-signed-in.ts';
import { fetchFromService } from '../fetch-from-service.ts';
import { createInPageTransport } from '../in-page-transport.ts';
import { openLocalStorage } from '../storage/local-storage.ts';
import { randomUuid } from '../random-uuid.ts';
import { followOtherTabs } from './follow-other-tabs.ts';
import { pagesInTurn } from './pages-in-turn.ts';
import { createWebClient, webContract } from './web-contract.ts';
import { describeBrowser } from './web-device.ts';
import { createWebHost } from './web-host.ts';

/** The host of the web console; in development with the mock tunnel, if `?mock` or VITE_MOCK asks for it. */
export async function createWebConsoleHost(): Promise<Host> {
  if (
    import.meta.env.DEV &&
    (new URLSearchParams(location.search).has('mock') || import.meta.env.VITE_MOCK)
  ) {
    const [{ withMockTunnel }, { hostContract }] = await Promise.all([
      import('./web-mock-tunnel.ts'),
      import('#shared/host/contract.ts'),
    ]);
    const transport = createInPageTransport(hostContract, (emit) => withMockTunnel(hostHere(emit), emit));
    return createHostClient(hostContract, transport);
  }
  return createWebClient(createInPageTransport(webContract, hostHere));
}

function hostHere(emit: EmitHostEvent<HostContract>) {
  const storage = openLocalStorage();
  // Without a storage, the browser refuses locks, too (Web Locks API, "obtain a lock manager"), and no page shares a session.
  const locks = storage.isKept ? (navigator as Partial<Navigator>).locks : undefined;
  const host = createWebHost({
    baseUrl: import.meta.env.VITE_API_URL ?? '',
    fetch: fetchFromService,
    ...storage,
    device: describeBrowser(),
    newDeviceId: randomUuid,
    inTurn: locks && pagesInTurn(locks),
    openExternal: (url) => {
      window.open(url, '_blank', 'noopener,noreferrer');
      return true;
    },
    followEvents: eventsWhenSignedIn(async () => {
      const { followPageEvents } = await import('../page-events.ts');
      return followPageEvents(storage.isKept);
    }),
    emit,
  });
  followOtherTabs(host, window);
  return host;
}
