import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDesktop, type TestDesktop } from '../support/desktop.ts';

let desktop: TestDesktop;
beforeEach(async () => {
  desktop = await createTestDesktop();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
});

describe('a server that decides what goes through the tunnel', () => {
  test.each([true, false])('is one by the word of the service: %s', async (split) => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    const servers = [{ serverId: 'one', name: 'One', domain: '127.0.0.1', ...(split && { split }) }];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    desktop.reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await app.host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(desktop.helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = desktop.helper.calls.find(({ method }) => method === 'connect');
    expect(asked?.params).toEqual(
      split ? expect.objectContaining({ split }) : expect.not.objectContaining({ split: true }),
    );
  });
});

describe('what may come in through the tunnel', () => {
  /** What the helper is asked for while connecting; `marked`: the server, by the service. */
  async function askedOnConnect(marked: boolean) {
    const { host } = desktop.startApp();
    await desktop.signIn(host);
    const servers = [
      { serverId: 'one', name: 'One', domain: '127.0.0.1', ...(marked && { incoming: true }) },
    ];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    desktop.reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(desktop.helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = desktop.helper.calls.find(({ method }) => method === 'connect');
    return asked && 'allowIncoming' in asked.params ? asked.params.allowIncoming : undefined;
  }

  test.each([true, false])('is everything by the word of the service: %s', async (marked) => {
    desktop.helper.filtersIncoming = true;
    expect(await askedOnConnect(marked)).toBe(marked || undefined);
  });

  test('is no choice with an earlier helper, which would refuse the request', async () => {
    expect(await askedOnConnect(true)).toBeUndefined();
  });
});
