import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '#shared/host/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { testVisibility, type TestVisibility } from '../../support/test-visibility.ts';
import { createTunnelStore, shownState } from '../../../../../src/renderer/features/tunnel/tunnel-store.ts';

const server = { serverId: 'de-1', domain: 'gw.example.net', port: 443 };
const gateway = { host: 'gw.example.net', port: 443 };
const elsewhere = { host: 'other.example.net', port: 443 };
const disconnected: TunnelState = { state: 'disconnected' };
const connecting: TunnelState = { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' };
const connectedTo = (to: typeof gateway): TunnelState => ({
  state: 'connected',
  gateway: to,
  since: 0,
  addresses: { ipv4: '192.0.2.1' },
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: true },
});

type ConnectReply = Awaited<ReturnType<Host['tunnel']['connect']>>;

/** A host whose tunnel does nothing by itself. */
class TestHost {
  truth: TunnelState = disconnected;
  connectReply: () => Promise<ConnectReply> = () => Promise.resolve({ ok: true });
  snapshotReply: () => Promise<TunnelState> = () => Promise.resolve(this.truth);
  readonly asked: string[] = [];
  #listeners = new Set<(state: TunnelState) => void>();

  readonly tunnel: Host['tunnel'] = {
    connect: ({ address }) => {
      this.asked.push(`connect ${address}`);
      return this.connectReply();
    },
    disconnect: () => {
      this.asked.push('disconnect');
      return Promise.resolve(null);
    },
    snapshot: () => {
      this.asked.push('snapshot');
      return this.snapshotReply();
    },
    statistics: () => Promise.resolve(null),
    stateChanged: (listener) => {
      this.asked.push('subscribe');
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  tell(state: TunnelState) {
    this.truth = state;
    for (const listener of this.#listeners) listener(state);
  }
}

let host: TestHost;
let page: TestVisibility;
let tunnel: ReturnType<typeof createTunnelStore>;
const shown = () => shownState(tunnel.store.getState());
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  host = new TestHost();
  page = testVisibility();
  tunnel = createTunnelStore(host.tunnel, page);
});
afterEach(() => {
  tunnel.stop();
  vi.useRealTimers();
});

describe('the truth', () => {
  test('is subscribed to first, then read once', async () => {
    tunnel.start();
    await settle();
    expect(host.asked).toEqual(['subscribe', 'snapshot']);
    expect(shown()).toEqual(disconnected);
  });

  test('is read again every 5 s, so that a lost event does not last', async () => {
    tunnel.start();
    await settle();
    host.truth = connectedTo(gateway);
    await vi.advanceTimersByTimeAsync(4999);
    expect(shown()).toEqual(disconnected);
    await vi.advanceTimersByTimeAsync(1);
    expect(shown()).toEqual(connectedTo(gateway));
  });

  test('that has not changed is news to nobody', async () => {
    tunnel.start();
    await settle();
    const views: unknown[] = [];
    tunnel.store.subscribe((view) => views.push(view));
    host.snapshotReply = () => Promise.resolve({ ...disconnected });
    host.tell({ ...disconnected });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(views).toEqual([]);
    host.tell(connecting);
    expect(views).toHaveLength(1);
  });

  test('is not asked for while nobody sees the page, and at once when somebody does', async () => {
    tunnel.start();
    await settle();
    // The positive control: it is asked for by a timer.
    expect(vi.getTimerCount()).toBe(1);
    page.show(false);
    host.truth = connectedTo(gateway);
    // Nothing even wakes up.
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(host.asked).toEqual(['subscribe', 'snapshot']);
    page.show(true);
    await settle();
    expect(shown()).toEqual(connectedTo(gateway));
  });

  test('of an event is not overwritten by an older snapshot', async () => {
    let answer: (state: TunnelState) => void = () => undefined;
    host.snapshotReply = () => new Promise((resolve) => (answer = resolve));
    tunnel.start();
    host.tell(connecting);
    answer(disconnected);
    await settle();
    expect(shown()).toEqual(connecting);
  });

  test('is asked for again after the host could not answer', async () => {
    host.snapshotReply = () => Promise.reject(new Error('no host'));
    tunnel.start();
    await settle();
    expect(shown()).toBeUndefined();
    host.snapshotReply = () => Promise.resolve(disconnected);
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown()).toEqual(disconnected);
  });
});

describe('a prediction', () => {
  beforeEach(async () => {
    tunnel.start();
    await settle();
  });

  test('is shown at once, and gives way to the truth that confirms it', async () => {
    void tunnel.connect(server);
    expect(shown()).toMatchObject({ state: 'connecting', gateway, attempt: 1 });
    expect(host.asked).toContain('connect anyconnect://gw.example.net:443');
    host.tell(connecting);
    expect(tunnel.store.getState().prediction).toBeUndefined();
    expect(shown()).toEqual(connecting);
    host.tell(connectedTo(gateway));
    expect(shown()).toEqual(connectedTo(gateway));
    await settle();
  });

  test('expires after 3 s if the truth does not confirm it', async () => {
    void tunnel.connect(server);
    await vi.advanceTimersByTimeAsync(2999);
    expect(shown()?.state).toBe('connecting');
    await vi.advanceTimersByTimeAsync(1);
    expect(shown()).toEqual(disconnected);
  });

  test('is not undone by news of how things were before the click', async () => {
    void tunnel.connect(server);
    host.tell(disconnected);
    expect(shown()?.state).toBe('connecting');
    await vi.advanceTimersByTimeAsync(3000);
    expect(shown()).toEqual(disconnected);
  });

  test('gives way to a failure', async () => {
    void tunnel.connect(server);
    host.tell({ state: 'disconnected', reason: 'gateway-unreachable' });
    expect(shown()).toEqual({ state: 'disconnected', reason: 'gateway-unreachable' });
    await settle();
  });

  test('of a switch is not confirmed by the old gateway', async () => {
    host.tell(connectedTo(elsewhere));
    void tunnel.connect(server);
    host.tell({ ...connectedTo(elsewhere), since: 1 } as TunnelState);
    expect(shown()).toMatchObject({ state: 'connecting', gateway });
    host.tell({ state: 'disconnecting', then: 'connecting' });
    expect(shown()).toEqual({ state: 'disconnecting', then: 'connecting' });
    await settle();
  });

  test('of a disconnect is shown and confirmed in the same way', async () => {
    host.tell(connectedTo(gateway));
    void tunnel.disconnect();
    expect(shown()).toEqual({ state: 'disconnecting', then: 'disconnected' });
    host.tell(disconnected);
    expect(tunnel.store.getState().prediction).toBeUndefined();
    await settle();
  });

  test('of an earlier click does not end the one of a later', async () => {
    void tunnel.connect(server);
    await vi.advanceTimersByTimeAsync(2000);
    void tunnel.disconnect();
    await vi.advanceTimersByTimeAsync(2000);
    expect(shown()?.state).toBe('disconnecting');
    await vi.advanceTimersByTimeAsync(1000);
    expect(shown()).toEqual(disconnected);
  });
});

describe('what cannot even begin', () => {
  const refusal = () => tunnel.store.getState().refusal;

  test('no server selected', async () => {
    await tunnel.connect(undefined);
    expect(refusal()).toBe('no-server-selected');
    expect(host.asked).toEqual([]);
  });

  test('a server of another protocol', async () => {
    await tunnel.connect({ ...server, protocol: 'wireguard' });
    expect(refusal()).toBe('bad-address');
    expect(host.asked).toEqual([]);
  });

  test('what the host refuses, at once and without a prediction left', async () => {
    host.connectReply = () => Promise.resolve({ ok: false, error: 'not-signed-in' });
    await tunnel.connect(server);
    expect(refusal()).toBe('not-signed-in');
    expect(tunnel.store.getState().prediction).toBeUndefined();
  });

  test('a host that fails', async () => {
    host.connectReply = () => Promise.reject(new Error('gone'));
    await tunnel.connect(server);
    expect(refusal()).toBe('unavailable');
  });

  test('is forgotten with the next try', async () => {
    await tunnel.connect(undefined);
    void tunnel.connect(server);
    expect(refusal()).toBeUndefined();
    await settle();
  });
});
