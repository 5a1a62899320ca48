import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { syncWithTunnel } from '../../../../src/main/system-proxy/sync-with-tunnel.ts';
import type { SystemProxy } from '../../../../src/main/system-proxy/system-proxy.ts';

const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40123/77ab01.pac';
const gateway = { host: 'vpn.example.org', port: 443 };

const connected = (routing: Extract<TunnelState, { state: 'connected' }>['routing']): TunnelState => ({
  state: 'connected',
  gateway,
  since: 0,
  addresses: {},
  transport: 'tls',
  routing,
});
const proxied = (pacUrl: string) => connected({ mode: 'pac', proxy: { address: '127.0.0.1:40123', pacUrl } });
const connecting: TunnelState = { state: 'connecting', gateway, attempt: 2, phase: 'waiting' };
const disconnected: TunnelState = { state: 'disconnected' };

/** A proxy that says what it is asked; with `hold`, each call waits until it is let go. */
function recordedProxy({ hold = false } = {}) {
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const done = () => (hold ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve());
  const proxy: SystemProxy = {
    async use(pacUrl) {
      calls.push(pacUrl);
      await done();
      return true;
    },
    async restore() {
      calls.push('restore');
      await done();
    },
  };
  return { proxy, calls, letGo: () => waiting.shift()?.() };
}

test('points at the PAC file while the tunnel is up, also through a re-connect, and back after it', async () => {
  const { proxy, calls } = recordedProxy();
  const sync = syncWithTunnel(proxy, () => false);
  await sync(disconnected);
  await sync(connecting);
  await sync(proxied(pac));
  expect(calls).toEqual(['restore', pac]);

  await sync(connecting);
  await sync({ state: 'disconnecting', then: 'connecting' });
  expect(calls).toEqual(['restore', pac]);
  await sync(proxied(pac));

  await sync(proxied(laterPac));
  await sync({ state: 'disconnecting', then: 'disconnected' });
  await sync(disconnected);
  expect(calls).toEqual(['restore', pac, pac, laterPac, 'restore']);
});

test('after a re-connect, a network with settings of its own gets them that was not there before (clash-verge 474)', async () => {
  const { proxy, calls } = recordedProxy();
  const sync = syncWithTunnel(proxy, () => true);
  await sync(proxied(pac));
  await sync(proxied(pac));
  expect(calls).toEqual([pac]);
  await sync(connecting);
  await sync(proxied(pac));
  await sync(proxied(pac));
  expect(calls).toEqual([pac, pac]);
});

const invalid: TunnelState = { state: 'invalid', cause: 'helper-absent' };
const failed: TunnelState = { state: 'disconnected', reason: 'engine-failed' };

test.for<[string, TunnelState]>([
  ['another routing mode', connected({ mode: 'global', localNetwork: false })],
  ['no proxy', connected({ mode: 'pac' })],
  ['no helper', invalid],
  ['another user’s tunnel', { ...proxied(laterPac), ownedByOther: true }],
  ['another user’s re-connect', { ...connecting, ownedByOther: true }],
  ['a tunnel that failed', failed],
])('with %s, what was there before is put back', async ([, state]) => {
  const { proxy, calls } = recordedProxy();
  const sync = syncWithTunnel(proxy, () => false);
  await sync(proxied(pac));
  await sync(state);
  expect(calls).toEqual([pac, 'restore']);
});

test('a start into a re-connect leaves the proxy of the earlier run', async () => {
  const { proxy, calls } = recordedProxy();
  await syncWithTunnel(proxy, () => false)(connecting);
  expect(calls).toEqual([]);
});

test('states that are overtaken are skipped, and the last one wins', async () => {
  const { proxy, calls, letGo } = recordedProxy({ hold: true });
  const sync = syncWithTunnel(proxy, () => false);
  void sync(proxied(pac));
  await expect.poll(() => calls).toEqual([pac]);
  void sync(disconnected);
  void sync(proxied(laterPac));
  const last = sync(disconnected);
  letGo();
  await expect.poll(() => calls).toEqual([pac, 'restore']);
  letGo();
  await last;
  expect(calls).toEqual([pac, 'restore']);
});

test('with the kill switch on only a disconnect, or another routing, puts back what was there', async () => {
  const { proxy, calls } = recordedProxy();
  const sync = syncWithTunnel(proxy, () => true);
  await sync(proxied(pac));
  await sync(failed);
  await sync(invalid);
  expect(calls).toEqual([pac]);
  await sync(disconnected);
  expect(calls).toEqual([pac, 'restore']);
});

test('a desktop that could not be changed once is changed with the next state all the same', async () => {
  const { proxy, calls } = recordedProxy();
  const sync = syncWithTunnel({ ...proxy, use: () => Promise.reject(new Error('no desktop')) }, () => false);
  await expect(sync(proxied(pac))).rejects.toThrow('no desktop');
  await sync(connecting);
  await sync(disconnected);
  expect(calls).toEqual(['restore']);
});
