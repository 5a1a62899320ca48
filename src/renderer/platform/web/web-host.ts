import type { Fetch } from '#shared/api/client.ts';
import type { InTurn } from '#shared/api/token-refusals.ts';
import type { DeviceInfo } from '#shared/entities.ts';
import type { HostContract } from '#shared/host/contract.ts';
import type { HostHandlers } from '#shared/host/descriptor.ts';
import { externalLink } from '#shared/host/external-link.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import { createPageStorage, type BrowserStorage } from '../storage/browser-storage.ts';
import { noServers } from '../no-servers.ts';
import { onlyOnDesktop } from '../only-on-desktop.ts';
import type { FollowPageEvents } from '../page-events.ts';
import { createPagePreferences } from '../page-preferences.ts';
import { createPageSession, type PageSession } from '../page-session.ts';
import type { WebContract } from './web-contract.ts';
import { createWebSession } from './web-session.ts';

export interface WebHostOptions {
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  storage: BrowserStorage;
  /** Whether that storage outlives the page. */
  isKept: boolean;
  device: DeviceInfo;
  newDeviceId: () => string;
  /** Has one page after the other sign in or out, of all with this storage. */
  inTurn?: InTurn | undefined;
  openExternal: (url: string) => boolean;
  followEvents: FollowPageEvents;
  emit: EmitHostEvent<HostContract>;
}

export interface WebHost extends HostHandlers<WebContract>, Pick<PageSession, 'changed'> {
  /** Another tab has changed how pages are shown. */
  lookChanged(): void;
}

/** The web console's host: the API over `fetch`, session and storage in the browser, and no tunnel. */
export function createWebHost(options: WebHostOptions): WebHost {
  const { device } = options;
  const pageStorage = createPageStorage(options.storage);
  const look = createPagePreferences(options.storage);
  const preferences = () =>
    ({ routing: 'global', killSwitch: false, localNetwork: false, ...look.get() }) as const;
  const lookChanged = () => options.emit('preferences.changed', preferences());
  return {
    lookChanged,
    ...createPageSession({
      baseUrl: options.baseUrl,
      fetch: options.fetch,
      deviceName: device.name,
      isDevice: false,
      tokens: createWebSession(options),
      inTurn: options.inTurn,
      forgetUser: () => void pageStorage.clear(),
      followEvents: options.followEvents,
      emit: options.emit,
    }),
    app: {
      describe: () => ({ kind: 'web', device, hasTunnel: false, routingModes: [] }),
      openExternal: (url) => externalLink(url) !== undefined && options.openExternal(url),
    },
    apps: { installed: () => [], open: () => false },
    storage: {
      get: (key) => pageStorage.get(key),
      set: (input) => pageStorage.set(input),
      remove: (key) => pageStorage.remove(key),
      clear: () => pageStorage.clear(),
    },
    tunnel: {
      connect: () => ({ ok: false, error: 'unavailable' }),
      disconnect: () => null,
      snapshot: () => ({ state: 'invalid', cause: 'tunnel-unsupported' }),
      statistics: () => null,
    },
    ...onlyOnDesktop,
    server: { chosen: () => null, choose: () => false, chooseFirst: () => false },
    servers: noServers,
    preferences: {
      get: preferences,
      set({ language, theme, welcomed, ...others }) {
        if (Object.keys(others).length > 0) return { ok: false, error: 'not-applied' };
        const reply = look.set({ language, theme, welcomed });
        if (reply.ok) lookChanged();
        return reply;
      },
    },
  };
}
