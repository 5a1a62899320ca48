import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { followTunnel } from '../../../src/main/follow-tunnel.ts';
import type { SystemProxy } from '../../../src/main/system-proxy.ts';

const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40123/77ab01.pac';
const gateway = { host: 'vpn.example.org', port: 443 };

const connected = (routing: 'pac' | 'ip'): TunnelState => ({
  state: 'connected',
  gateway,
  since: 0,
  addresses: {},
  transport: 'tls',
  routing: { mode: routing },
});
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
  const follow = followTunnel(proxy);
  await follow({ state: disconnected, pacUrl: undefined });
  await follow({ state: connecting, pacUrl: undefined });
  await follow({ state: connected('pac'), pacUrl: pac });
  expect(calls).toEqual(['restore', pac]);

  await follow({ state: connecting, pacUrl: undefined });
  await follow({ state: { state: 'disconnecting', then: 'connecting' }, pacUrl: undefined });
  await follow({ state: connected('pac'), pacUrl: pac });
  expect(calls).toEqual(['restore', pac]);

  await follow({ state: connected('pac'), pacUrl: laterPac });
  await follow({ state: { state: 'disconnecting', then: 'disconnected' }, pacUrl: laterPac });
  await follow({ state: disconnected, pacUrl: undefined });
  expect(calls).toEqual(['restore', pac, laterPac, 'restore']);
});

test.for<[string, TunnelState, string | undefined]>([
  ['another routing mode', connected('ip'), pac],
  ['no PAC file', connected('pac'), undefined],
  ['no helper', { state: 'invalid', cause: 'helper-absent' }, undefined],
])('with %s, what was there before is put back', async ([, state, pacUrl]) => {
  const { proxy, calls } = recordedProxy();
  const follow = followTunnel(proxy);
  await follow({ state: connected('pac'), pacUrl: pac });
  await follow({ state, pacUrl });
  expect(calls).toEqual([pac, 'restore']);
});

test('a start into a re-connect leaves the proxy of the earlier run', async () => {
  const { proxy, calls } = recordedProxy();
  await followTunnel(proxy)({ state: connecting, pacUrl: undefined });
  expect(calls).toEqual([]);
});

test('states that are overtaken are skipped; the last one wins', async () => {
  const { proxy, calls, letGo } = recordedProxy({ hold: true });
  const follow = followTunnel(proxy);
  void follow({ state: connected('pac'), pacUrl: pac });
  await expect.poll(() => calls).toEqual([pac]);
  void follow({ state: disconnected, pacUrl: undefined });
  void follow({ state: connected('pac'), pacUrl: laterPac });
  const last = follow({ state: disconnected, pacUrl: undefined });
  letGo();
  await expect.poll(() => calls).toEqual([pac, 'restore']);
  letGo();
  await last;
  expect(calls).toEqual([pac, 'restore']);
});
