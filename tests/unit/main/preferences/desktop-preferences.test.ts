import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { HostRequestRefused } from '#shared/host/server.ts';
import { createTestDesktop, type TestDesktop } from '../support/desktop.ts';
import { connected } from '../support/tunnel-states.ts';

let desktop: TestDesktop;
beforeEach(async () => {
  desktop = await createTestDesktop();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
});

describe('the preferences', () => {
  const before = {
    ...defaultPreferences,
    language: 'system',
    theme: 'system',
    onQuit: 'disconnect',
    notifications: true,
    connectAtStart: false,
    welcomed: false,
  };

  test('reach the file and the tunnel that is up', async () => {
    const { host, settings } = desktop.startApp();
    await host.tunnel.snapshot();
    desktop.helper.set(connected);
    expect(await host.preferences.get()).toEqual(before);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    expect(await host.preferences.set({ localNetwork: true })).toEqual({ ok: true });
    expect(await host.preferences.set({ killSwitch: true })).toEqual({ ok: true });
    expect(await host.preferences.get()).toEqual({ ...before, killSwitch: true, localNetwork: true });
    expect([settings.content.get('killSwitch'), settings.content.get('localNetwork')]).toEqual([true, true]);
    const routing = { mode: 'global', localNetwork: true };
    expect(desktop.helper.calls.filter(({ method }) => method === 'setRouting')).toEqual([
      { method: 'setRouting', params: { routing, killSwitch: false } },
      { method: 'setRouting', params: { routing, killSwitch: true } },
    ]);
  });

  test('stay what they were when the helper refuses', async () => {
    const { host, settings } = desktop.startApp();
    await host.tunnel.snapshot();
    desktop.helper.set(connected);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    desktop.helper.on('setRouting', () => {
      throw new Error('the system refused a change');
    });
    const refused = { ok: false, error: 'not-applied' };
    expect(await host.preferences.set({ localNetwork: true })).toEqual(refused);
    expect(await host.preferences.get()).toEqual(before);
    expect(settings.content.get('localNetwork')).toBe(false);
    expect(await host.preferences.set({ theme: 'dark', localNetwork: true }), 'all or nothing').toEqual(
      refused,
    );
    expect(await host.preferences.get()).toEqual(before);
  });

  test('of how the app behaves hold at once, are told to every page, and are taken back where they cannot be kept', async () => {
    const { host, settings, events } = desktop.startApp();
    const now = { ...before, language: 'zh-hans', onQuit: 'keep' };
    expect(await host.preferences.set({ language: 'zh-hans', onQuit: 'keep' })).toEqual({ ok: true });
    expect(await host.preferences.get()).toEqual(now);
    expect(events).toContainEqual(['preferences.changed', now]);
    await host.preferences.set({ welcomed: true });
    await host.session.signOut({ by: 'user' });
    expect(await host.preferences.get(), 'whoever signs in').toEqual({ ...now, welcomed: true });
    settings.broken = true;
    expect(await host.preferences.set({ notifications: false })).toEqual({ ok: false, error: 'not-stored' });
    expect(await host.preferences.get()).toMatchObject({ notifications: true });
  });

  test('starting at login is the system’s to keep: what it refuses is taken back', async () => {
    let isOn = false;
    let isRefused = false;
    const loginItem = { isOn: () => isOn, set: (wanted: boolean) => !isRefused && ((isOn = wanted), true) };
    const { host } = desktop.startApp({ loginItem });
    expect(await host.preferences.set({ openAtLogin: true })).toEqual({ ok: true });
    expect(isOn).toBe(true);
    isRefused = true;
    expect(await host.preferences.set({ openAtLogin: false, theme: 'dark' })).toMatchObject({ ok: false });
    expect(await host.preferences.get()).toEqual({ ...before, openAtLogin: true });
  });

  test('networks are trusted where the system can be asked for them, and in no report by name', async () => {
    const home = Buffer.from('Wohnung 3b').toString('hex');
    const { host, settings } = desktop.startApp({ knowsNetworks: true });
    const off = { connectOnUntrusted: false, disconnectOnTrusted: false, trustWired: false };
    expect(await host.preferences.get()).toMatchObject({ ...off, trustedNetworks: [] });
    expect(await host.networks.current()).toBeNull();
    const wanted = { connectOnUntrusted: true, trustedNetworks: [home, 'ff00'] };
    expect(await host.preferences.set(wanted)).toEqual({ ok: true });
    expect(await host.preferences.get()).toMatchObject(wanted);
    const report = await host.problemReport.make();
    expect(report).toContain('"trustedNetworks":2');
    expect(report).not.toContain(home);
    for (const trustedNetworks of [['home'], [''], ['ff'.repeat(33)], Array(101).fill('ff')])
      await expect(host.preferences.set({ trustedNetworks })).rejects.toThrow();
    settings.broken = true;
    const unkept = await host.preferences.set({ trustedNetworks: ['ff'] });
    expect(unkept).toEqual({ ok: false, error: 'not-stored' });
    expect((await host.preferences.get()).trustedNetworks).not.toContain('ff');
  });

  test('where it cannot, nothing says so but the lack of it', async () => {
    const { host } = desktop.startApp();
    expect(Object.keys(await host.preferences.get())).not.toContain('connectOnUntrusted');
    expect(await host.preferences.set({ connectOnUntrusted: true })).toMatchObject({ ok: false });
    expect(await host.networks.current()).toBeNull();
  });

  test.each([
    { killSwitch: 'yes' },
    { routing: 'pac' },
    { language: 'xx' },
    { onQuit: true },
    { routing: { mode: 'pac', pac: { routeDomains: [], blockedDomains: [] } } },
    'killSwitch',
    undefined,
  ])('%j is refused at both ends', async (input) => {
    const { host, server } = desktop.startApp();
    await expect(host.preferences.set(input as never)).rejects.toThrow();
    await expect(server.handle('preferences.set', input)).rejects.toThrow(HostRequestRefused);
    expect(await host.preferences.get()).toEqual(before);
  });
});
