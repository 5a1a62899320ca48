import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import { createInPageTransport } from '../../../../../src/renderer/platform/in-page-transport.ts';
import { createWebHost } from '../../../../../src/renderer/platform/web/web-host.ts';
import { withMockTunnel } from '../../../../../src/renderer/platform/web/web-mock-tunnel.ts';

let host: Host;
let states: string[];

beforeEach(() => {
  vi.useFakeTimers();
  states = [];
  const entries = new Map<string, string>();
  const transport = createInPageTransport(hostContract, (emit) =>
    withMockTunnel(
      createWebHost({
        isKept: true,
        device: {
          name: 'Web',
          platform: 'web',
          arch: 'unknown',
          version: '1.0.0',
          lang: 'en',
          timezone: 'UTC',
        },
        baseUrl: '',
        storage: {
          length: 0,
          key: () => null,
          getItem: (key) => entries.get(key) ?? null,
          setItem: (key, value) => void entries.set(key, value),
          removeItem: (key) => void entries.delete(key),
        },
        fetch: () => Promise.reject(new Error('there is no service')),
        newDeviceId: () => 'device',
        openExternal: () => true,
        emit,
        followEvents: () => ({ restart: () => undefined }),
      }),
      emit,
    ),
  );
  host = createHostClient(hostContract, transport);
  host.tunnel.stateChanged(({ state }) => states.push(state));
});
afterEach(() => {
  vi.useRealTimers();
});

test('spec §4: the web mock connects in 2 s and disconnects in 0.5 s', async () => {
  expect(await host.tunnel.connect({ address: 'anyconnect://gateway.example:443' })).toEqual({ ok: true });
  await vi.advanceTimersByTimeAsync(1999);
  expect(states).toEqual(['connecting']);
  await vi.advanceTimersByTimeAsync(1);
  expect(states).toEqual(['connecting', 'connected']);
  await host.tunnel.disconnect();
  await vi.advanceTimersByTimeAsync(499);
  expect(states).toEqual(['connecting', 'connected', 'disconnecting']);
  await vi.advanceTimersByTimeAsync(1);
  expect(states).toEqual(['connecting', 'connected', 'disconnecting', 'disconnected']);
});

test('the mock tunnel’s switches hold, and the tunnel says what the local network is', async () => {
  const off = { routing: 'global', killSwitch: false, localNetwork: false };
  expect(await host.preferences.get()).toMatchObject(off);
  expect(await host.preferences.set({ localNetwork: true })).toEqual({ ok: true });
  expect(await host.preferences.get()).toMatchObject({ ...off, localNetwork: true });
  await host.tunnel.connect({ address: 'anyconnect://gateway.example:443' });
  await vi.advanceTimersByTimeAsync(2000);
  expect(await host.tunnel.snapshot()).toMatchObject({ routing: { mode: 'global', localNetwork: true } });
});

test('a disconnect while it connects wins', async () => {
  await host.tunnel.connect({ address: 'anyconnect://gateway.example:443' });
  await host.tunnel.disconnect();
  await vi.advanceTimersByTimeAsync(5000);
  expect(states).toEqual(['connecting', 'disconnecting', 'disconnected']);
  expect(await host.tunnel.snapshot()).toEqual({ state: 'disconnected' });
});

test('the web mock keeps favourite and recent servers', async () => {
  expect(await host.app.describe()).toMatchObject({ keepsServers: true });
  await host.server.choose('one');
  await host.tunnel.connect({ address: 'anyconnect://gateway.example:443' });
  expect(await host.servers.setFavourite({ serverId: 'two', isFavourite: true })).toBe(true);
  expect(await host.servers.kept()).toEqual({ favourites: ['two'], recents: ['one'] });
});
