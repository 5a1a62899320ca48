import type { Fetch } from '#shared/api/client.ts';
import type { DeviceInfo } from '#shared/entities.ts';
import { appLink } from '#shared/host/app-link.ts';
import type { HostContract, HostImplementation } from '#shared/host/contract.ts';
import { externalLink } from '#shared/host/external-link.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import { noCertificates } from './no-certificates.ts';
import { noSettings } from './no-settings.ts';
import { createPageSession } from './page-session.ts';
import { hostOwnKeys } from './storage-keys.ts';
import type { openWebviewSession } from './webview-session.ts';

export interface WebviewHostOptions {
  app: WebviewApp;
  session: Awaited<ReturnType<typeof openWebviewSession>>;
  device: DeviceInfo;
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  emit: EmitHostEvent<HostContract>;
}

/** The host in a webview: calls and session in the page, over the storage of the app; the rest by the app. */
export function createWebviewHost(options: WebviewHostOptions): HostImplementation {
  const { app, session } = options;
  const storage = createPageStorage(app, session);
  return {
    ...createPageSession({
      baseUrl: options.baseUrl,
      fetch: options.fetch,
      deviceName: options.device.name,
      isDevice: true,
      tokens: session,
      async forgetUser() {
        await Promise.all([storage.clear(undefined), app.tunnel.disconnect({}).catch(() => null)]);
      },
      emit: options.emit,
    }),
    app: {
      describe: async () => ({ ...(await app.app.describe()), kind: 'webview' }),
      openExternal: (link) => {
        const allowed = externalLink(link);
        return allowed === undefined ? false : app.app.openExternal(allowed);
      },
    },
    apps: {
      installed: () => app.apps.installed(),
      open({ type, link, title }) {
        const allowed = appLink(type, link);
        return allowed === undefined ? false : app.apps.open({ type, link: allowed, title });
      },
    },
    storage,
    tunnel: {
      prepare: (input) => app.tunnel.prepare(input),
      connect: (input) => app.tunnel.connect(input),
      disconnect: (input) => app.tunnel.disconnect(input),
      snapshot: () => app.tunnel.snapshot(),
      statistics: () => app.tunnel.statistics(),
    },
    // An app around a webview asks by itself.
    gatewayForm: { get: () => null, answer: () => false },
    gatewayCertificate: noCertificates,
    portal: { open: () => false },
    gatewayGroup: { get: () => null, forget: () => false },
    routing: {
      get: () => app.routing.get(),
      set: (config) => app.routing.set(config),
    },
    settings: noSettings,
  };
}

/** The page's part of the app's storage: not the token, nor the device id. A failure is told, never thrown. */
function createPageStorage(
  { storage }: WebviewApp,
  session: WebviewHostOptions['session'],
): HostImplementation['storage'] {
  const isPageKey = (key: string) => !hostOwnKeys.includes(key);
  return {
    get: async (key) => (isPageKey(key) ? await storage.get(key).catch(() => null) : null),
    set: async (input) => isPageKey(input.key) && (await storage.set(input).catch(() => false)),
    remove: async (key) => isPageKey(key) && (await storage.remove(key).catch(() => false)),
    async clear() {
      const cleared = await storage.clear().catch(() => false);
      await session.restore();
      return cleared;
    },
  };
}
