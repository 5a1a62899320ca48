import { createHostClient } from '#shared/host/client.ts';
import { hostContract } from '#shared/host/contract.ts';
import type { HostTransport } from '#shared/host/transport.ts';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { chooseLanguage } from '#shared/language.ts';
import { fetchFromService } from '../fetch-from-service.ts';
import { createInPageTransport } from '../in-page-transport.ts';
import { createJsonRpcTransport } from './json-rpc-transport.ts';
import { openLocalStorage } from '../storage/local-storage.ts';
import { followPageEvents } from '../page-events.ts';
import { createPagePreferences } from '../page-preferences.ts';
import { documentVisibility } from '../page-visibility.ts';
import { randomUuid } from '../random-uuid.ts';
import { createWebviewHost } from './webview-host.ts';
import type { TextPort } from './webview-port.ts';
import { openWebviewSession } from './webview-session.ts';

/** The transport of a page in a webview: rejects if the app's first replies do not follow the contract. */
export async function createWebviewTransport(port: TextPort): Promise<HostTransport> {
  const app = createHostClient(webviewContract, createJsonRpcTransport(port));
  const [{ device, routingModes, measuresLatency = false }, session] = await Promise.all([
    app.app.describe(),
    openWebviewSession(app.storage, randomUuid),
  ]);
  return createInPageTransport(hostContract, (emit) => {
    const visibility = documentVisibility();
    const baseUrl = import.meta.env.VITE_API_URL ?? '';
    return createWebviewHost({
      app,
      session,
      device,
      routingModes,
      measuresLatency,
      visibility,
      followEvents: followPageEvents(true, visibility),
      look: createPagePreferences(openLocalStorage().storage),
      language: chooseLanguage(navigator.languages),
      baseUrl,
      fetch: fetchFromService,
      emit,
    });
  });
}
