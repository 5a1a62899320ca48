import { webMockTunnel } from '#shared/constants.ts';
import type { HostContract, HostImplementation } from '#shared/host/contract.ts';
import { defaultPreferences, type Preferences } from '#shared/host/preferences.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createKeptServers } from '../storage/kept-servers.ts';

/** The web mock of specification §4, for development in a browser: states and figures, without a tunnel. */
export function withMockTunnel(
  host: HostImplementation,
  emit: EmitHostEvent<HostContract>,
): HostImplementation {
  let state: TunnelState = { state: 'disconnected' };
  let preferences: Preferences = {
    ...defaultPreferences,
    language: 'system',
    theme: 'system',
    openAtLogin: false,
    connectAtStart: false,
    onQuit: 'disconnect',
    notifications: true,
    welcomed: false,
  };
  let serverId: string | null = null;
  const keptServers = createKeptServers(host.storage, (now) => emit('servers.keptChanged', now));
  let timer: ReturnType<typeof setTimeout> | undefined;

  const become = (next: TunnelState) => {
    state = next;
    emit('tunnel.stateChanged', next);
  };
  const later = (seconds: number, next: () => TunnelState) => {
    clearTimeout(timer);
    timer = setTimeout(() => become(next()), seconds * 1000);
  };

  function choose(id: string): boolean {
    serverId = id;
    emit('server.changed', id);
    return true;
  }

  return {
    ...host,
    app: {
      ...host.app,
      describe: async () => ({
        ...(await host.app.describe(undefined)),
        kind: 'desktop',
        hasTunnel: true,
        routingModes: ['global', 'pac'],
        keepsServers: true,
      }),
    },
    server: {
      chosen: () => serverId,
      choose,
      chooseFirst: (id) => serverId === null && choose(id),
    },
    servers: { ...host.servers, ...keptServers.host },
    preferences: {
      get: () => preferences,
      set(change) {
        preferences = { ...preferences, ...change };
        emit('preferences.changed', preferences);
        return { ok: true };
      },
    },
    tunnel: {
      connect({ address }) {
        const gateway = parseServerAddress(address)?.gateway;
        if (!gateway) return { ok: false, error: 'bad-address' };
        become({ state: 'connecting', gateway, attempt: 1, phase: 'handshaking' });
        later(webMockTunnel.connectSeconds, () => ({
          state: 'connected',
          gateway,
          since: Date.now(),
          addresses: { ipv4: '192.0.2.17', ipv6: '2001:db8::17' },
          transport: 'dtls',
          encryption: { protocol: 'DTLS 1.2', cipher: 'AES-256-GCM' },
          routing:
            preferences.routing === 'global'
              ? { mode: 'global', localNetwork: preferences.localNetwork }
              : { mode: 'pac' },
        }));
        if (serverId !== null) keptServers.connectedTo(serverId);
        return { ok: true };
      },
      disconnect() {
        if (state.state === 'disconnected') return null;
        become({ state: 'disconnecting', then: 'disconnected' });
        later(webMockTunnel.disconnectSeconds, () => ({ state: 'disconnected' }));
        return null;
      },
      snapshot: () => state,
      statistics() {
        if (state.state !== 'connected') return null;
        const seconds = (Date.now() - state.since) / 1000;
        return { received: Math.round(seconds * 184_000), sent: Math.round(seconds * 21_000) };
      },
    },
  };
}
