import type { Fetch } from '#shared/api/client.ts';
import type { DeviceInfo, Language } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import type { HostContract, HostImplementation } from '#shared/host/contract.ts';
import { externalLink } from '#shared/host/external-link.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { RouteMode } from '#shared/tunnel/route-config.ts';
import { onlyOnDesktop } from '../only-on-desktop.ts';
import type { FollowPageEvents } from '../page-events.ts';
import type { PagePreferences } from '../page-preferences.ts';
import { createPageSession } from '../page-session.ts';
import type { PageVisibility } from '../page-visibility.ts';
import { hostOwnKeys } from '../storage/storage-keys.ts';
import { tellSnapshots } from './told-tunnel.ts';
import { createWebviewLogins } from './webview-logins.ts';
import { createWebviewPlan } from './webview-plan.ts';
import { createWebviewRouting } from './webview-routing.ts';
import { createWebviewServer } from './webview-server.ts';
import { createWebviewServers } from './webview-servers.ts';
import type { openWebviewSession } from './webview-session.ts';
import { createWebviewTunnel } from './webview-tunnel.ts';

export interface WebviewHostOptions {
  app: WebviewApp;
  session: Awaited<ReturnType<typeof openWebviewSession>>;
  device: DeviceInfo;
  routingModes: readonly RouteMode[];
  /** From the app's description of itself. */
  measuresLatency: boolean;
  visibility: PageVisibility;
  /** The chosen appearance of pages. */
  look: PagePreferences;
  /** The system's language. */
  language: Language;
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  followEvents: FollowPageEvents;
  emit: EmitHostEvent<HostContract>;
}

/**
 * The host in a webview: the page has the calls, the session and the rules about server, routing and plan, on top of
 * the app's storage and tunnel; the app does the rest.
 */
export function createWebviewHost(options: WebviewHostOptions): HostImplementation {
  const { session, visibility, emit } = options;
  const storage = createPageStorage(options.app, session);
  const told = tellSnapshots(options.app.tunnel, storage);
  const app = { ...options.app, tunnel: told.tunnel };
  app.tunnel.stateChanged((state) => emit('tunnel.stateChanged', state));
  const calls = createPageSession({
    baseUrl: options.baseUrl,
    fetch: options.fetch,
    deviceName: options.device.name,
    isDevice: true,
    tokens: session,
    async forgetUser() {
      plan.forget();
      void logins.forget();
      server.forget();
      servers.forget();
      await Promise.all([storage.clear(undefined), app.tunnel.disconnect({}).catch(() => null)]);
    },
    followEvents: (events) =>
      options.followEvents({
        ...events,
        onFollowed() {
          if (plan.isKnown()) void plan.refresh();
          events.onFollowed();
        },
        onChanges(changes) {
          if (changes.includes('entitlement')) void plan.refresh();
          events.onChanges(changes);
        },
      }),
    emit(channel, payload) {
      emit(channel, payload);
      if (channel !== 'session.changed') return;
      void logins.forget();
      told.credentialsChanged();
      void routing.update();
    },
  });
  const plan = createWebviewPlan(calls.api, storage, calls.serviceClock);
  const logins = createWebviewLogins(calls.client, storage);
  plan.onChange(() => void logins.keep());
  const server = createWebviewServer({
    app: app.tunnel,
    storage,
    plan,
    logins,
    visibility,
    onChange: (serverId) => emit('server.changed', serverId),
  });
  const servers = createWebviewServers({
    app,
    storage,
    plan,
    measuresLatency: options.measuresLatency,
    chosen: () => server.current(),
    emit,
  });
  const routing = createWebviewRouting({
    app,
    routingModes: options.routingModes,
    api: calls.api,
    storage,
    visibility,
    isSignedIn: () => session.credentials().token !== undefined,
    language: options.language,
    look: options.look,
    onChange: (now) => emit('preferences.changed', now),
  });
  void routing.update();
  const tunnel = createWebviewTunnel(app.tunnel, plan, logins, calls.serviceClock);
  // Its answer is told to all of them.
  app.tunnel.snapshot().catch(() => undefined);
  return {
    session: calls.session,
    clock: calls.clock,
    api: plan.api,
    app: {
      describe: async () => ({
        ...(await app.app.describe()),
        kind: 'webview',
        keepsServers: true,
      }),
      openExternal: (link) => {
        const allowed = externalLink(link);
        return allowed === undefined ? false : app.app.openExternal(allowed);
      },
    },
    apps: {
      installed: () => app.apps.installed(),
      open({ type, link, title }) {
        const allowed = webAddress(link);
        return allowed === undefined ? false : app.apps.open({ type, link: allowed, title });
      },
    },
    storage,
    tunnel,
    ...onlyOnDesktop,
    server: server.host,
    servers: servers.host,
    preferences: routing.host,
  };
}

/** The page's part of the app's storage: neither the token nor the device id. Failures are returned, never thrown. */
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
