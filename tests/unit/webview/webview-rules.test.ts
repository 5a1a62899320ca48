import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '#shared/host/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createTestPhone, trackIntervals, type TestPhone } from './test-phone.ts';

let phone: TestPhone;
beforeEach(() => {
  phone = createTestPhone();
  return trackIntervals();
});

describe('the rules that the app cannot know', () => {
  const hour = 60 * 60_000;
  const address = 'anyconnect://gw.example.net:443';
  const iso = (at: number) => new Date(at).toISOString();

  /** What the account has: a trial that ends then, and maybe a plan. */
  function list(trialEnd: number, planEnd?: number): void {
    const servers = [{ serverId: 'one', name: 'One', domain: 'gw.example.net' }];
    const items = [{ id: 'one', level: 1, servers }];
    const group = { id: 'trial', name: 'Trial', isTrial: true, trialExpiredAt: iso(trialEnd), items };
    phone.listed.set('/api/server-groups', { items: [group] });
    const expiredAt = planEnd === undefined ? null : iso(planEnd);
    phone.listed.set('/api/my-service', { serviceId: 's', expiredAt, seats: 1, service: 'Plan' });
  }
  const askAgain = async (host: Host) => {
    await host.api.call({ name: 'serverGroups' });
    await host.api.call({ name: 'myService' });
  };

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    return () => vi.useRealTimers();
  });

  test('the app is told until when it may connect, and ends it though the page is gone', async () => {
    const end = Date.now() + hour;
    list(end);
    const host = await phone.openPage();
    await phone.signIn(host);
    expect(await host.tunnel.connect({ address })).toEqual({ ok: true });
    expect(phone.app.allowedUntil()).toEqual({ at: end, reason: 'trial-ended' });
    phone.app.handlers.tunnel.disconnect = () => {
      throw new Error('no page is there to say it');
    };
    await vi.advanceTimersByTimeAsync(hour);
    expect(phone.app.state()).toEqual({ state: 'disconnected', reason: 'trial-ended' });
  });

  test.each([8, -8])(
    'a phone whose clock is %i hours ahead keeps its trial until the real end',
    async (hours) => {
      phone.serviceOffset = -hours * hour;
      list(Date.now() + phone.serviceOffset + hour);
      const host = await phone.openPage();
      await phone.signIn(host);
      expect(await host.tunnel.connect({ address })).toEqual({ ok: true });
      // The app only knows the phone's clock.
      const until = phone.app.allowedUntil()?.at ?? 0;
      expect(Math.abs(until - (Date.now() + hour))).toBeLessThan(2000);
      expect(Math.abs((await host.clock.offset()) - phone.serviceOffset)).toBeLessThan(2000);
      await vi.advanceTimersByTimeAsync(hour - 5000);
      expect(phone.app.state().state).toBe('connected');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(phone.app.state()).toEqual({ state: 'disconnected', reason: 'trial-ended' });
    },
  );

  test('a plan that is bought moves the end, and one that the service takes away is the end', async () => {
    list(Date.now() + hour);
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.tunnel.connect({ address });
    const planEnd = Date.now() + 100 * hour;
    list(Date.now() + hour, planEnd);
    await askAgain(host);
    expect(phone.app.allowedUntil()).toEqual({ at: planEnd, reason: 'plan-ended' });
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(phone.app.state().state).toBe('connected');
    list(Date.now() - hour, Date.now() - hour);
    await askAgain(host);
    await vi.waitFor(() =>
      expect(phone.app.state()).toEqual({ state: 'disconnected', reason: 'plan-ended' }),
    );
  });

  test('the next page says the end again for a tunnel that it finds', async () => {
    list(Date.now() + hour);
    const first = await phone.openPage();
    await phone.signIn(first);
    await first.tunnel.connect({ address });
    const planEnd = Date.now() + 100 * hour;
    list(Date.now() + hour, planEnd);
    await askAgain(await phone.openPage());
    expect(phone.app.allowedUntil()).toEqual({ at: planEnd, reason: 'plan-ended' });
  });

  test('an app that does not keep to the end has its tunnel ended by the page', async () => {
    list(Date.now() + hour);
    const ends: unknown[] = [];
    phone.app.handlers.tunnel.setAllowedUntil = () => {
      throw new Error('no such method');
    };
    phone.app.handlers.tunnel.connect = () => {
      phone.app.become({
        state: 'connected',
        gateway: { host: 'gw.example.net', port: 443 },
        since: 0,
        addresses: {},
        transport: 'tls',
        routing: { mode: 'ip' },
      });
      return { ok: true };
    };
    phone.app.handlers.tunnel.disconnect = (input) => {
      ends.push(input);
      return null;
    };
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.tunnel.connect({ address });
    await vi.advanceTimersByTimeAsync(hour - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual([{ reason: 'trial-ended' }]);
  });

  describe('what the tunnel did while the page was suspended', () => {
    const connected: TunnelState = {
      state: 'connected',
      gateway: { host: 'gw.example.net', port: 443 },
      since: 0,
      addresses: {},
      transport: 'tls',
      routing: { mode: 'ip' },
    };
    /** Its events are lost; afterwards the page asks. */
    async function missed(host: Host, state: TunnelState): Promise<void> {
      const { emit } = phone.app;
      phone.app.emit = () => undefined;
      phone.app.become(state);
      phone.app.emit = emit;
      expect(await host.tunnel.snapshot()).toEqual(state);
    }

    test('binds it to the plan all the same, once the page has asked', async () => {
      list(Date.now() + hour);
      const host = await phone.openPage();
      await phone.signIn(host);
      await askAgain(host);
      await missed(host, connected);
      expect(phone.app.allowedUntil()).toEqual({ at: Date.now() + hour, reason: 'trial-ended' });
      list(Date.now() - hour);
      await askAgain(host);
      expect(phone.app.state()).toEqual({ state: 'disconnected', reason: 'trial-ended' });
    });

    test('decides what is prepared and measured, once the page has asked', async () => {
      list(Date.now() + hour);
      const host = await phone.openPage();
      await phone.signIn(host);
      await askAgain(host);
      await host.server.choose('one');
      phone.app.become(connected);
      const before = phone.app.prepared.length;
      await missed(host, { state: 'disconnected' });
      await vi.waitFor(() => expect(phone.app.prepared.length).toBeGreaterThan(before));
      await missed(host, { state: 'disconnected', blocked: true });
      expect(await host.servers.measure()).toBe('blocked');
    });

    test('is told once, however often the page asks', async () => {
      list(Date.now() + hour);
      const host = await phone.openPage();
      await phone.signIn(host);
      await askAgain(host);
      await host.server.choose('one');
      await missed(host, { state: 'disconnected', reason: 'session-ended' });
      await vi.advanceTimersByTimeAsync(0);
      const before = phone.app.prepared.length;
      for (let times = 0; times < 3; times += 1) await host.tunnel.snapshot();
      await vi.advanceTimersByTimeAsync(0);
      expect(phone.app.prepared).toHaveLength(before);
    });
  });

  test('a server that may not be used, or is not listed, is not connected to', async () => {
    list(Date.now() - hour);
    const host = await phone.openPage();
    await phone.signIn(host);
    const refused = { ok: false, error: 'not-listed' };
    expect(await host.tunnel.connect({ address })).toEqual(refused);
    expect(await host.tunnel.connect({ address: 'anyconnect://other.example.net' })).toEqual(refused);
    expect(phone.app.connects).toEqual([]);
  });

  test('the chosen server is kept in the app, prepared while there is no tunnel, and forgotten on sign-out', async () => {
    list(Date.now() + hour);
    const host = await phone.openPage();
    await phone.signIn(host);
    const told: unknown[] = [];
    host.server.changed((id) => told.push(id));
    await askAgain(host);
    expect(phone.app.prepared).toEqual([]);
    expect(await host.server.choose('one')).toBe(true);
    await vi.waitFor(() => expect(phone.app.prepared).toContain(address));
    expect(await (await phone.openPage()).server.chosen()).toBe('one');
    expect(await (await phone.openPage()).server.chooseFirst('another')).toBe(false);
    await host.tunnel.connect({ address });
    const before = phone.app.prepared.length;
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(phone.app.prepared).toHaveLength(before);
    await host.session.signOut({ by: 'user' });
    expect(await host.server.chosen()).toBeNull();
    expect(told).toEqual(['one', null]);
  });

  test('favourite and recent servers are kept in the app, told to the page, and forgotten on sign-out', async () => {
    list(Date.now() + hour);
    const host = await phone.openPage();
    await phone.signIn(host);
    await askAgain(host);
    const told: unknown[] = [];
    host.servers.keptChanged((now) => told.push(now));
    expect((await host.app.describe()).keepsServers).toBe(true);
    await host.tunnel.connect({ address });
    const kept = { favourites: ['two', 'one'], recents: ['one'] };
    for (const serverId of ['three', 'two', 'one'])
      expect(await host.servers.setFavourite({ serverId, isFavourite: true })).toBe(true);
    expect(await host.servers.setFavourite({ serverId: 'three', isFavourite: false })).toBe(true);
    expect(await host.servers.kept()).toEqual(kept);
    expect(told.at(-1)).toEqual(kept);
    expect(await (await phone.openPage()).servers.kept()).toEqual(kept);
    phone.app.storageFails = true;
    expect(await host.servers.setFavourite({ serverId: 'two', isFavourite: false })).toBe(false);
    phone.app.storageFails = false;
    await host.session.signOut({ by: 'user' });
    const none = { favourites: [], recents: [] };
    expect(await host.servers.kept()).toEqual(none);
    expect(told.at(-1)).toEqual(none);
    expect(await (await phone.openPage()).servers.kept()).toEqual(none);
  });

  test.each(['', 'nonsense', '{"favourites":7}', '[]'])(
    'servers kept as %j count as none',
    async (stored) => {
      phone.app.storage.set('keptServers', stored);
      expect(await (await phone.openPage()).servers.kept()).toEqual({ favourites: [], recents: [] });
    },
  );

  test('the app is asked how fast the servers are that may be used, while traffic may leave', async () => {
    list(Date.now() + hour);
    phone.app.latencies?.set('gw.example.net', 12.5);
    const host = await phone.openPage();
    await phone.signIn(host);
    await askAgain(host);
    const measured: unknown[] = [];
    host.servers.measured((some) => measured.push(...some));
    expect(await host.servers.measure()).toBe('measured');
    const latency = { serverId: 'one', milliseconds: 12.5, throughTunnel: false };
    expect(measured).toEqual([latency]);
    expect(phone.app.measured).toEqual([address]);
    phone.app.handlers.servers.latency = () => {
      throw new Error('the app is broken');
    };
    expect(await host.servers.measure()).toBe('measured');
    expect(measured.at(-1)).toEqual({ ...latency, milliseconds: null });
    phone.app.become({ state: 'disconnected', blocked: true });
    expect(await host.servers.measure()).toBe('blocked');
    expect(measured).toHaveLength(2);
  });

  test('an older app, which does not say that it can, is not asked how fast servers are', async () => {
    list(Date.now() + hour);
    phone.app.latencies = undefined;
    const host = await phone.openPage();
    await phone.signIn(host);
    await askAgain(host);
    expect((await host.app.describe()).measuresLatency).toBeUndefined();
    expect(await host.servers.measure()).toBe('unsupported');
    expect(phone.app.measured).toEqual([]);
  });

  test('with automatic routing the app is given the lists, and new ones once they are old', async () => {
    // An entry that is no prefix does not spoil the others, and one with everything in it would route everything.
    phone.listed.set('/api/v1/ipv4/cn', { items: ['192.0.2.0/24', 'CN', '0.0.0.0/0'] });
    const host = await phone.openPage();
    await phone.signIn(host);
    expect(await host.preferences.set({ routing: 'automatic' })).toEqual({ ok: true });
    expect(phone.app.routing()).toEqual({ mode: 'ip', routeIps: ['192.0.2.0/24'] });
    expect(await host.preferences.get()).toMatchObject({ routing: 'automatic' });
    phone.listed.set('/api/v1/ipv4/cn', { items: ['203.0.113.0/24'] });
    const afterDays = async (days: number) => {
      vi.setSystemTime(Date.now() + days * 24 * hour);
      // Until it looks again; nothing has to happen in the days that are left out.
      await vi.advanceTimersByTimeAsync(hour);
    };
    await afterDays(29);
    expect(phone.app.routing()).toEqual({ mode: 'ip', routeIps: ['192.0.2.0/24'] });
    await afterDays(2);
    expect(phone.app.routing()).toEqual({ mode: 'ip', routeIps: ['203.0.113.0/24'] });
    await host.preferences.set({ routing: 'global' });
    expect(phone.app.routing()).toEqual({ mode: 'global' });
    expect(await host.preferences.set({ killSwitch: true })).toEqual({ ok: false, error: 'not-applied' });
  });

  test('why there are no lists is told in the language that the user has chosen', async () => {
    const host = await phone.openPage();
    await phone.signIn(host);
    phone.reply = { code: 503, data: null };
    const refused = { ok: false, error: 'no-lists', failure: { kind: 'service', code: 503, msg: '' } };
    expect(await host.preferences.set({ routing: 'automatic' })).toEqual(refused);
    await host.preferences.set({ language: 'zh-hant' });
    expect(await host.preferences.set({ routing: 'automatic' })).toEqual(refused);
    const asked = phone.sent.filter(({ url }) => url.startsWith('/api/v1/ipv4/'));
    expect(asked.map(({ language }) => language)).toEqual(['en', 'zh-hant']);
  });

  test('language, colours and that somebody is not new are kept on the device, and whoever signs out leaves them', async () => {
    const host = await phone.openPage();
    await phone.signIn(host);
    const look = { language: 'zh-hant', theme: 'dark', welcomed: true } as const;
    for (const change of [{ language: look.language }, { theme: look.theme }, { welcomed: look.welcomed }])
      expect(await host.preferences.set(change)).toEqual({ ok: true });
    await host.session.signOut({ by: 'user' });
    expect(await (await phone.openPage()).preferences.get()).toMatchObject(look);
    phone.storage.full = true;
    expect(await host.preferences.set({ theme: 'light' })).toEqual({ ok: false, error: 'not-stored' });
    expect(await host.preferences.get()).toMatchObject(look);
  });
});
