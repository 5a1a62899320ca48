import { beforeEach, describe, expect, test } from 'vitest';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host, type Session } from '#shared/host/contract.ts';
import type { HostEvents } from '#shared/host/descriptor.ts';
import { createHostServer } from '#shared/host/server.ts';
import { webviewContract, type WebviewContract } from '#shared/host/webview-contract.ts';
import { createInPageTransport } from '../../../src/renderer/platform/in-page-transport.ts';
import { createWebviewHost } from '../../../src/renderer/platform/webview-host.ts';
import { openWebviewSession } from '../../../src/renderer/platform/webview-session.ts';
import { createWebviewApp, type WebviewApp } from '../../e2e/webview/webview-app.ts';

const ours = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
const user = { email: 'a@example.com', profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } };

let app: WebviewApp;
let sent: { url: string; authorization: string | undefined; body: unknown }[];
let reply: { code: number; data: unknown };
let sessions: Session[];

beforeEach(() => {
  app = createWebviewApp('ios');
  sent = [];
  sessions = [];
  reply = { code: 0, data: user };
});

/** A page, over the app as it is now. */
async function openPage(): Promise<Host> {
  const server = createHostServer(webviewContract, app.handlers);
  const client = createHostClient<WebviewContract>(webviewContract, {
    request: (channel, input) => server.handle(channel, input),
    subscribe: () => () => undefined,
  });
  const session = await openWebviewSession(client.storage, () => ours);
  const { device } = await client.app.describe();
  const host = createHostClient(
    hostContract,
    createInPageTransport((emit) =>
      createWebviewHost({
        app: client,
        session,
        device,
        baseUrl: '',
        emit,
        fetch: async (url, { headers, body }) => {
          sent.push({
            url,
            authorization: headers['Authorization'],
            body: body === undefined ? undefined : JSON.parse(body),
          });
          const answer = { msg: '', ...reply };
          return { status: 200, text: () => Promise.resolve(JSON.stringify(answer)) };
        },
      }),
    ),
  );
  host.session.changed((now: HostEvents<typeof hostContract>['session.changed']) => sessions.push(now));
  return host;
}

async function signIn(host: Host): Promise<void> {
  reply = { code: 0, data: { token: 'secret' } };
  await host.session.verifyCode({ authId: 'id', authCode: '123456' });
  reply = { code: 0, data: user };
}

describe('the session', () => {
  test('lives in the app’s storage: device id at once, token after signing in, both found by the next page', async () => {
    const host = await openPage();
    expect(app.storage.get('deviceId')).toBe(ours);
    await signIn(host);
    expect(app.storage.get('token')).toBe('secret');
    expect(sent[0]).toMatchObject({
      url: '/api/auth',
      body: { isDevice: true, deviceId: ours, deviceName: 'iPhone' },
    });
    const next = await openPage();
    expect(await next.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'keychain' });
    await next.api.call({ name: 'userInfo' });
    expect(sent.at(-1)?.authorization).toBe(`Basic ${btoa(`${ours}:secret`)}`);
  });

  test('ended by a 401 leaves nothing but the device id, and no tunnel', async () => {
    const host = await openPage();
    await signIn(host);
    await host.storage.set({ key: 'user', value: '{}' });
    await host.tunnel.connect({ address: 'anyconnect://gw.example.net:443' });
    reply = { code: 401, data: null };
    expect(await host.api.call({ name: 'myService' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(Object.fromEntries(app.storage)).toEqual({ deviceId: ours });
    expect(app.state()).toEqual({ state: 'disconnected' });
    expect(sessions.at(-1)?.signedIn).toBe(false);
  });

  test('taken over from another device, with its id', async () => {
    const theirs = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const host = await openPage();
    await signIn(host);
    await host.session.signInWithToken({ deviceId: theirs, token: 'other' });
    expect(Object.fromEntries(app.storage)).toEqual({ deviceId: theirs, token: 'other' });
    expect(sessions.map(({ signedIn, deviceId }) => [signedIn, deviceId])).toEqual([
      [true, ours],
      [false, ours],
      [true, theirs],
    ]);
  });

  test('in a storage that fails lasts as long as the page, and says so', async () => {
    const host = await openPage();
    app.storageFails = true;
    await signIn(host);
    expect(await host.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'memory' });
    expect(await host.storage.set({ key: 'user', value: 'x' })).toBe(false);
    expect(await host.storage.clear()).toBe(false);
  });

  test.each(['no-uuid', '', 'x'.repeat(40)])('a device id %j is replaced by one of ours', async (stored) => {
    app.storage.set('deviceId', stored);
    expect((await (await openPage()).session.get()).deviceId).toBe(ours);
  });

  test.each(['two words', '中文', 'x'.repeat(513)])('a token %j counts as none', async (stored) => {
    app.storage.set('token', stored);
    expect((await (await openPage()).session.get()).signedIn).toBe(false);
  });
});

test('the page’s storage does not reach token and device id; clearing it keeps both', async () => {
  const host = await openPage();
  await signIn(host);
  expect(await host.storage.get('token')).toBeNull();
  expect(await host.storage.set({ key: 'deviceId', value: 'x' })).toBe(false);
  expect(await host.storage.remove('token')).toBe(false);
  await host.storage.set({ key: 'user', value: 'x' });
  expect(await host.storage.clear()).toBe(true);
  expect(Object.fromEntries(app.storage)).toEqual({ deviceId: ours, token: 'secret' });
});

test('links and mini-apps are checked before the app is asked', async () => {
  const asked: string[] = [];
  app.handlers.app.openExternal = (link) => asked.push(link) > 0;
  app.handlers.apps.open = ({ link }) => asked.push(link) > 0;
  const host = await openPage();
  for (const link of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a:b@example.com/',
  ]) {
    expect(await host.app.openExternal(link)).toBe(false);
    expect(await host.apps.open({ type: 'webkit', link, title: 'x' })).toBe(false);
    expect(await host.apps.open({ type: 'native', link, title: 'x' })).toBe(false);
  }
  expect(asked).toEqual([]);
  expect(await host.apps.open({ type: 'native', link: 'myapp://home', title: 'x' })).toBe(true);
  expect(asked).toEqual(['myapp://home']);
});

test('whatever an app says it is, it is a webview to the page', async () => {
  const honest = app.handlers.app.describe;
  app.handlers.app.describe = async () => ({ ...(await honest(undefined)), kind: 'desktop' });
  expect((await (await openPage()).app.describe()).kind).toBe('webview');
});
