import { webAddress } from '#shared/host/web-address.ts';
import { externalLink } from '#shared/host/external-link.ts';
import type { HostHandlers } from '#shared/host/descriptor.ts';
import type { AllowedUntil, WebviewLogin, WebviewContract } from '#shared/host/webview-contract.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { RouteConfig, RouteMode } from '#shared/tunnel/route-config.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

export type Platform = 'android' | 'ios';

const installedApps = ['com.example.browser', 'com.example.mail', 'org.example.player'];
const routingModes: Record<Platform, RouteMode[]> = {
  android: ['global', 'app'],
  ios: ['global', 'ip'],
};

/** A whole app around a webview, as a mobile developer makes one; its tunnel carries nothing. */
export interface WebviewApp {
  readonly handlers: HostHandlers<WebviewContract>;
  readonly storage: Map<string, string>;
  /** What the app was asked to open, in order. */
  readonly opened: string[];
  /** Every request for a tunnel, with the credentials that a gateway would be given. */
  readonly connects: { address: string; login: WebviewLogin }[];
  /** Until when the tunnel may be up, as the page has said; undefined while there is none. */
  allowedUntil(): AllowedUntil | undefined;
  /** Servers that the page has asked to be signed in to ahead. */
  readonly prepared: string[];
  routing(): RouteConfig;
  state(): TunnelState;
  /** The app's own doing, e.g. the user ends the tunnel in the system's settings. */
  become(state: TunnelState): void;
  /** Set by who carries the events to the page. */
  emit: (channel: string, payload: unknown) => void;
  routingModes: RouteMode[];
  /**
   * How long connections to hosts take, where not 20 ms; undefined: it is an older app, and does not know the message.
   */
  latencies: Map<string, number> | undefined;
  /** Addresses of servers whose latency the page has asked for. */
  readonly measured: string[];
  /** While set, the platform refuses to change the routing, or to open the storage. */
  routingFails: boolean;
  storageFails: boolean;
}

export function createWebviewApp(platform: Platform): WebviewApp {
  const storage = new Map<string, string>();
  let state: TunnelState = { state: 'disconnected' };
  let routing: RouteConfig = { mode: 'global' };
  const opened: string[] = [];
  const connects: WebviewApp['connects'] = [];

  const prepared: string[] = [];
  const measured: string[] = [];
  let allowed: AllowedUntil | undefined;
  let end: NodeJS.Timeout | undefined;

  const allowUntil = (until: AllowedUntil | undefined) => {
    allowed = until;
    clearTimeout(end);
    if (!until) return;
    end = setTimeout(
      () => become({ state: 'disconnected', reason: until.reason }),
      Math.min(Math.max(0, until.at - Date.now()), 2 ** 31 - 1),
    );
    end.unref();
  };
  const become = (next: TunnelState) => {
    state = next;
    if (next.state === 'disconnected') allowUntil(undefined);
    app.emit('tunnel.stateChanged', next);
  };
  const unlessFailing = (change: () => void) => {
    if (!app.storageFails) change();
    return !app.storageFails;
  };

  const handlers: WebviewApp['handlers'] = {
    app: {
      describe: () => ({
        kind: 'webview',
        device: {
          name: platform === 'android' ? 'Pixel' : 'iPhone',
          platform,
          arch: 'arm64',
          version: '1.0',
          lang: 'en',
          timezone: 'Europe/Zurich',
        },
        hasTunnel: true,
        routingModes: app.routingModes,
        ...(app.latencies && { measuresLatency: true }),
        portalAddress: 'http://service.waymaker.test/api/generate_204',
      }),
      openExternal(link) {
        if (externalLink(link) === undefined) return false;
        opened.push(`browser ${link}`);
        return true;
      },
    },
    apps: {
      installed: () => (platform === 'android' ? installedApps : []),
      open({ type, link }) {
        if (webAddress(link) === undefined) return false;
        opened.push(`${type} ${link}`);
        return true;
      },
    },
    storage: {
      get: (key) => storage.get(key) ?? null,
      set: ({ key, value }) => unlessFailing(() => storage.set(key, value)),
      remove: (key) => unlessFailing(() => storage.delete(key)),
      clear: () => unlessFailing(() => storage.clear()),
    },
    tunnel: {
      prepare({ address }) {
        prepared.push(address);
        return null;
      },
      connect({ address, allowedUntil, login }) {
        const gateway = parseServerAddress(address)?.gateway;
        if (!gateway) return { ok: false, error: 'bad-address' };
        if (!storage.has('token')) return { ok: false, error: 'not-signed-in' };
        connects.push({ address, login });
        allowUntil(allowedUntil);
        become({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
        // Addresses of TEST-NET-1 are nobody's: the tunnel stays on its way.
        if (gateway.host.startsWith('192.0.2.')) return { ok: true };
        become({
          state: 'connected',
          gateway,
          since: Date.now(),
          addresses: { ipv4: '198.51.100.7' },
          transport: 'tls',
          routing:
            routing.mode === 'global' ? { mode: 'global', localNetwork: true } : { mode: routing.mode },
        });
        return { ok: true };
      },
      setAllowedUntil({ allowedUntil }) {
        if (state.state === 'connecting' || state.state === 'connected') allowUntil(allowedUntil);
        return null;
      },
      disconnect({ reason }) {
        if (state.state !== 'disconnected') become({ state: 'disconnected', reason });
        return null;
      },
      snapshot: () => state,
      statistics: () => (state.state === 'connected' ? { received: 1000, sent: 500 } : null),
    },
    servers: {
      latency({ address }) {
        measured.push(address);
        const host = parseServerAddress(address)?.gateway.host;
        const isAnswered = host !== undefined && !host.startsWith('192.0.2.');
        return {
          milliseconds: isAnswered ? (app.latencies?.get(host) ?? 20) : null,
          throughTunnel: isAnswered && state.state === 'connected' && routing.mode === 'global',
        };
      },
    },
    routing: {
      get: () => routing,
      set(config) {
        if (app.routingFails || !app.routingModes.includes(config.mode)) return false;
        routing = config;
        return true;
      },
    },
  };
  const app: WebviewApp = {
    handlers,
    storage,
    opened,
    connects,
    prepared,
    allowedUntil: () => allowed,
    routing: () => routing,
    state: () => state,
    become,
    emit: () => undefined,
    routingModes: routingModes[platform],
    latencies: new Map(),
    measured,
    routingFails: false,
    storageFails: false,
  };
  return app;
}
