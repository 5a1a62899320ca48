import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerHostRequest } from '../../../../src/main/page/host-answer.ts';
import { createTestDesktop, type TestDesktop } from '../support/desktop.ts';
import { createTestLog } from '../support/log.ts';

let desktop: TestDesktop;
beforeEach(async () => {
  desktop = await createTestDesktop();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
});

describe('the page’s storage', () => {
  test('keeps, lists nothing, removes', async () => {
    const { host } = desktop.startApp();
    expect(await host.storage.get('a.b')).toBeNull();
    expect(await host.storage.set({ key: 'a.b', value: '1' })).toBe(true);
    expect(await host.storage.get('a.b')).toBe('1');
    expect(await host.storage.remove('a.b')).toBe(true);
    expect(await host.storage.get('a.b')).toBeNull();
  });

  test('tells a failing disk as false', async () => {
    const { host, pageFile } = desktop.startApp();
    pageFile.broken = true;
    expect(await host.storage.set({ key: 'a', value: '1' })).toBe(false);
    expect(await host.storage.remove('a')).toBe(false);
    expect(await host.storage.clear()).toBe(false);
    expect(await host.storage.get('a')).toBeNull();
  });

  test.each(['', 'a b', 'a/b', 'x'.repeat(129)])('%j is no key', async (key) => {
    const { host } = desktop.startApp();
    await expect(host.storage.set({ key, value: '' })).rejects.toThrow();
  });
});

describe('the app', () => {
  test('describes this device', async () => {
    const { device, ...app } = await desktop.startApp().host.app.describe();
    expect(app).toEqual({
      portalAddress: expect.stringMatching(/^http:/),
      kind: 'desktop',
      keepsServers: true,
      measuresLatency: true,
      hasTunnel: true,
      routingModes: ['global', 'pac'],
    });
    expect(device).toMatchObject({ platform: 'linux', arch: process.arch, version: '1.2.3', lang: 'en-GB' });
    expect(device.name).not.toBe('');
    expect(device.timezone).not.toBe('');
    expect((await desktop.startApp({ lang: '' }).host.app.describe()).device.lang).toBe('zh-cn');
  });

  test('an unexpected failure reaches the page without its insides', async () => {
    const { log, text } = createTestLog();
    const server = { handle: () => Promise.reject(new Error('ENOENT /home/ada/secret')) };
    expect(await answerHostRequest(server, 'storage.get', 'a', log)).toEqual({
      ok: false,
      message: 'storage.get failed',
    });
    expect(text()).toContain('ENOENT');
    expect(await answerHostRequest(server, 7, 'a', log)).toEqual({ ok: false, message: 'no such request' });
  });

  test('tells the tunnel’s state to its pages', async () => {
    const app = desktop.startApp();
    expect(await app.host.tunnel.snapshot()).toEqual({ state: 'disconnected' });
    desktop.helper.set({ state: 'disconnected', reason: 'engine-failed' });
    await vi.waitFor(() =>
      expect(app.events).toContainEqual([
        'tunnel.stateChanged',
        { state: 'disconnected', reason: 'engine-failed' },
      ]),
    );
  });
});
