import { beforeEach, describe, expect, test } from 'vitest';
import type { InTurn } from '#shared/api/token-refusals.ts';
import type { Session } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';
import type { DeviceInfo } from '#shared/entities.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { createInPageTransport } from '../../../../../src/renderer/platform/in-page-transport.ts';
import { createWebClient, webContract } from '../../../../../src/renderer/platform/web/web-contract.ts';
import { createWebHost } from '../../../../../src/renderer/platform/web/web-host.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

const device: DeviceInfo = {
  name: 'Web (Linux)',
  platform: 'web',
  arch: 'unknown',
  version: '1.2.3',
  lang: 'en',
  timezone: 'UTC',
};

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

const userReply = {
  code: 0,
  msg: '',
  data: { email: 'a@example.com', profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } },
};

const newId = (count: number) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;

let storage: MemoryStorage;
let sent: Sent[];
let opened: string[];
let sessions: Session[];
let reply: (request: Sent) => { status: number; body: unknown };
/** The service has ended the stream of events, because the token is no longer accepted. */
let endEvents: () => void;
let host: Host;
/** By how much the service's clock is ahead, in milliseconds. */
let serviceOffset: number;

beforeEach(() => {
  storage = new MemoryStorage();
  sent = [];
  opened = [];
  sessions = [];
  serviceOffset = 0;
  reply = () => ({ status: 200, body: userReply });
  host = openTab();
});

/** A page of this browser. `inTurn`: shared by all that are open. */
function openTab(inTurn?: InTurn): Host {
  let ids = 0;
  const transport = createInPageTransport(webContract, (emit) =>
    createWebHost({
      baseUrl: 'https://service.example',
      storage,
      isKept: true,
      device,
      emit,
      inTurn,
      followEvents(follower) {
        endEvents = follower.onSignedOut;
        return { restart: () => undefined };
      },
      newDeviceId: () => newId((ids += 1)),
      openExternal: (url) => opened.push(url) > 0,
      fetch: async (url, { method, headers, body }) => {
        const request = { method, url, headers, body: body === undefined ? undefined : JSON.parse(body) };
        sent.push(request);
        const { status, body: answer } = reply(request);
        const dated = new Headers({ date: new Date(Date.now() + serviceOffset).toUTCString() });
        return { status, headers: dated, text: () => Promise.resolve(JSON.stringify(answer)) };
      },
    }),
  );
  const tab = createWebClient(transport);
  tab.session.changed((session) => sessions.push(session));
  return tab;
}

const signIn = async () => {
  reply = () => ({ status: 200, body: { code: 0, msg: '', data: { token: 'secret' } } });
  const result = await host.session.verifyCode({ authId: 'id', authCode: '123456' });
  reply = () => ({ status: 200, body: userReply });
  return result;
};

test('a device id is made once and kept', async () => {
  expect(await host.session.get()).toEqual({ signedIn: false, deviceId: newId(1), persistence: 'browser' });
  expect((await host.session.get()).deviceId).toBe(newId(1));
  expect(storage.getItem('deviceId')).toBe(newId(1));
});

test('a damaged device id or token is as none, and signing in works', async () => {
  for (const damaged of ['', '中', '\0'.repeat(36), 'a b', 'x'.repeat(5_000)]) {
    storage.setItem('deviceId', damaged);
    storage.setItem('token', damaged);
    for (const name of ['basicInfo', 'keptServers', 'look']) storage.setItem(name, damaged);
    const { signedIn, deviceId } = await host.session.get();
    expect([signedIn, deviceId]).toEqual([false, expect.stringMatching(/^00000000-/)]);
    expect(await host.api.call({ name: 'userInfo' })).toMatchObject({ ok: true });
    expect(await signIn()).toMatchObject({ ok: true, data: { signedIn: true, deviceId } });
    await host.session.signOut({ by: 'user' });
  }
});

test('the web has no tunnel', async () => {
  expect((await host.app.describe()).hasTunnel).toBe(false);
  expect(await host.tunnel.connect({ address: 'anyconnect://gw.example.net:443' })).toEqual({
    ok: false,
    error: 'unavailable',
  });
});

describe('signing in', () => {
  test('sends the device with the code, keeps the token and tells the page without it', async () => {
    const result = await signIn();
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://service.example/api/auth',
      body: {
        authId: 'id',
        authCode: '123456',
        isDevice: false,
        deviceId: newId(1),
        deviceName: 'Web (Linux)',
      },
    });
    const session = { signedIn: true, deviceId: newId(1), persistence: 'browser' };
    expect(result).toEqual({ ok: true, data: session });
    expect(sessions).toEqual([session]);
  });

  test('with a wrong code changes nothing', async () => {
    reply = () => ({ status: 422, body: { code: 422, msg: 'no', data: null } });
    const result = await host.session.verifyCode({ authId: 'id', authCode: '123456' });
    expect(result).toEqual({ ok: false, failure: { kind: 'service', code: 422, msg: 'no' } });
    expect(sessions).toEqual([]);
  });

  test('while somebody is signed in, e.g. from another tab, signs them out first, also at the service', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    reply = ({ url }) => ({
      status: 200,
      body: { code: 0, msg: '', data: url.endsWith('/api/auth') ? { token: 'other' } : null },
    });
    await host.session.verifyCode({ authId: 'id', authCode: '654321' });
    expect(sent.at(-1)).toMatchObject({
      method: 'DELETE',
      url: `https://service.example/api/devices/${newId(1)}`,
      headers: { Authorization: `Basic ${btoa(`${newId(1)}:secret`)}` },
    });
    expect(sessions.map(({ signedIn }) => signedIn)).toEqual([true, false, true]);
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId: newId(1), token: 'other' });
  });

  test('again with the same account keeps everything, also where the earlier token ends before the new one is here', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    reply = ({ url }) => {
      if (!url.endsWith('/api/auth')) return { status: 200, body: userReply };
      endEvents();
      return { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } };
    };
    const result = await host.session.verifyCode({ authId: 'id', authCode: '654321' });
    expect(result).toMatchObject({ ok: true, data: { signedIn: true } });
    expect(sent.map(({ method }) => method)).not.toContain('DELETE');
    expect(sessions.map(({ signedIn }) => signedIn)).toEqual([true, true]);
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId: newId(1), token: 'other', user: '{}' });
  });

  test('again with another account leaves nothing of the one before', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    reply = ({ url, headers }) => {
      if (url.endsWith('/api/auth'))
        return { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } };
      const isBefore = headers['Authorization'] === `Basic ${btoa(`${newId(1)}:secret`)}`;
      const email = isBefore ? 'a@example.com' : 'b@example.com';
      return { status: 200, body: { ...userReply, data: { ...userReply.data, email } } };
    };
    await host.session.verifyCode({ authId: 'id', authCode: '654321' });
    expect(sessions.map(({ signedIn }) => signedIn)).toEqual([true, false, true]);
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId: newId(1), token: 'other' });
  });

  test('again with a wrong code, or without a network, loses nothing', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    const before = new Map(storage.entries);
    reply = ({ url }) =>
      url.endsWith('/api/auth')
        ? { status: 422, body: { code: 422, msg: 'no', data: null } }
        : { status: 200, body: userReply };
    expect(await host.session.verifyCode({ authId: 'id', authCode: '0' })).toMatchObject({ ok: false });
    reply = ({ url }) => {
      if (!url.endsWith('/api/auth')) throw new TypeError('no network');
      return { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } };
    };
    expect(await host.session.verifyCode({ authId: 'id', authCode: '654321' })).toEqual({
      ok: false,
      failure: { kind: 'network' },
    });
    expect(storage.entries).toEqual(before);
    expect(sessions).toHaveLength(1);
  });

  test('again keeps everything where another tab’s stream ends before the new token is here', async () => {
    const inTurn = createSerialQueue();
    const tab = openTab(inTurn);
    openTab(inTurn);
    await signIn();
    await tab.storage.set({ key: 'user', value: '{}' });
    reply = ({ url }) => {
      if (!url.endsWith('/api/auth')) return { status: 200, body: userReply };
      endEvents();
      return { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } };
    };
    expect(await tab.session.verifyCode({ authId: 'id', authCode: '654321' })).toMatchObject({ ok: true });
    await inTurn(() => Promise.resolve());
    expect(sessions.map(({ signedIn }) => signedIn)).not.toContain(false);
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId: newId(1), token: 'other', user: '{}' });
  });

  test('again keeps everything where the network goes after the answer to a code that this page had mailed', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    reply = () => ({ status: 200, body: { code: 0, msg: '', data: { authId: 'mine' } } });
    await host.session.requestCode({ email: 'A@example.com' });
    let isAnswered = false;
    reply = ({ url }) => {
      if (isAnswered) throw new TypeError('no network');
      if (!url.endsWith('/api/auth')) return { status: 200, body: userReply };
      isAnswered = true;
      return { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } };
    };
    expect(await host.session.verifyCode({ authId: 'mine', authCode: '654321' })).toMatchObject({ ok: true });
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId: newId(1), token: 'other', user: '{}' });
  });

  test('again while the service cannot say who is signed in loses nothing, and uses no code', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    const before = new Map(storage.entries);
    sent = [];
    reply = ({ url }) =>
      url.endsWith('/api/auth')
        ? { status: 200, body: { code: 0, msg: '', data: { token: 'other' } } }
        : { status: 503, body: { code: 503, msg: 'later', data: null } };
    expect(await host.session.verifyCode({ authId: 'id', authCode: '654321' })).toMatchObject({ ok: false });
    expect(sent.map(({ url }) => url)).toEqual(['https://service.example/api/user-info']);
    expect(storage.entries).toEqual(before);
  });

  test('without a working storage lasts as long as the page', async () => {
    storage.full = true;
    await signIn();
    expect(await host.session.get()).toEqual({
      signedIn: true,
      deviceId: newId(1),
      persistence: 'memory',
    });
    await host.api.call({ name: 'userInfo' });
    expect(sent.at(-1)?.headers['Authorization']).toBe(`Basic ${btoa(`${newId(1)}:secret`)}`);
    storage.full = false;
    expect(await signIn()).toMatchObject({ ok: true, data: { persistence: 'browser' } });
  });

  test('what a full storage has kept from before does not take the place of what is new', async () => {
    const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    await host.session.get();
    storage.full = true;
    const session = { signedIn: true, deviceId, persistence: 'memory' };
    expect(await host.session.signInWithToken({ deviceId, token: 'other' })).toEqual({
      ok: true,
      data: session,
    });
    expect(await host.session.get()).toEqual(session);
  });
});

describe('signing in with a token of another device', () => {
  const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';

  test('asks the service as that device, then takes its place and forgets who was here', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    const result = await host.session.signInWithToken({ deviceId, token: 'other' });
    expect(sent.at(-1)).toMatchObject({
      url: 'https://service.example/api/user-info',
      headers: { Authorization: `Basic ${btoa(`${deviceId}:other`)}` },
    });
    const session = { signedIn: true, deviceId, persistence: 'browser' };
    expect(result).toEqual({ ok: true, data: session });
    expect(sessions.slice(-2)).toEqual([{ ...session, signedIn: false, deviceId: newId(1) }, session]);
    expect(Object.fromEntries(storage.entries)).toEqual({ deviceId, token: 'other' });
  });

  test('that the service does not know changes nothing', async () => {
    await signIn();
    reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
    const before = new Map(storage.entries);
    expect(await host.session.signInWithToken({ deviceId, token: 'wrong' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(storage.entries).toEqual(before);
    expect(sessions).toHaveLength(1);
  });

  test.each([
    { deviceId: 'no-uuid', token: 'other' },
    { deviceId, token: '' },
    { deviceId, token: 'two words' },
    { deviceId, token: 'x'.repeat(513) },
  ])('is refused for %j', async (credentials) => {
    await expect(host.session.signInWithToken(credentials)).rejects.toThrow();
    expect(sent).toEqual([]);
  });
});

describe('calls', () => {
  test('carry device and token, and the language of the page', async () => {
    await signIn();
    await host.api.call({ name: 'userInfo', language: 'zh-hant' });
    expect(sent.at(-1)?.headers).toMatchObject({
      Authorization: `Basic ${btoa(`${newId(1)}:secret`)}`,
      'Accept-Language': 'zh-hant',
    });
  });

  test('fill the path’s parameters', async () => {
    reply = () => ({ status: 200, body: { code: 0, msg: '', data: {} } });
    await host.api.call({ name: 'translations', params: { lang: 'zh-hans' } });
    expect(sent[0]?.url).toBe('https://service.example/api/translations/waymaker/zh-hans');
  });

  test('carry the page’s body, if it is one that the contract allows', async () => {
    reply = () => ({ status: 200, body: { code: 0, msg: '', data: null } });
    await host.api.call({ name: 'addMember', body: { loginId: 'b@example.com', loginType: 'email' } });
    expect(sent[0]?.body).toEqual({ loginId: 'b@example.com', loginType: 'email' });
    await expect(host.api.call({ name: 'addMember', body: { loginId: 7 } })).rejects.toThrow('addMember');
    expect(sent).toHaveLength(1);
  });

  test('refused with 401 clear everything, tell the page, and keep the device id', async () => {
    await signIn();
    await host.storage.set({ key: 'user', value: '{}' });
    reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
    const result = await host.api.call({ name: 'myService' });
    expect(result).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
    expect(sessions.at(-1)?.signedIn).toBe(false);
    expect([...storage.entries.keys()]).toEqual(['deviceId']);
  });

  test('for the user refused with 401 only say so: the page may have a cached user', async () => {
    await signIn();
    reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
    expect(await host.api.call({ name: 'userInfo' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect((await host.session.get()).signedIn).toBe(true);
  });

  test('that are in progress while the user signs out are refused with 498', async () => {
    await signIn();
    reply = () => {
      void host.session.signOut({ by: 'user' });
      return { status: 200, body: userReply };
    };
    expect(await host.api.call({ name: 'userInfo' })).toEqual({
      ok: false,
      failure: { kind: 'auth-state-changed', code: 498 },
    });
  });
});

describe('the page’s storage', () => {
  test('keeps, forgets and clears', async () => {
    expect(await host.storage.set({ key: 'user', value: 'x' })).toBe(true);
    expect(await host.storage.get('user')).toBe('x');
    expect(await host.storage.remove('user')).toBe(true);
    expect(await host.storage.get('user')).toBeNull();
    await host.storage.set({ key: 'a', value: '1' });
    await host.storage.set({ key: 'b', value: '2' });
    expect(await host.storage.clear()).toBe(true);
    expect([...storage.entries.keys()]).toEqual([]);
  });

  test('does not reach the token, nor the device id', async () => {
    await signIn();
    expect(await host.storage.get('token')).toBeNull();
    expect(await host.storage.set({ key: 'token', value: 'x' })).toBe(false);
    expect(await host.storage.remove('deviceId')).toBe(false);
    await host.storage.clear();
    expect((await host.session.get()).signedIn).toBe(true);
  });

  test('tells when the browser refuses it', async () => {
    storage.full = true;
    expect(await host.storage.set({ key: 'user', value: 'x' })).toBe(false);
  });
});

test('only web and mail links are opened outside', async () => {
  const links = ['https://example.com/', 'http://example.com/', 'mailto:a@example.com'];
  for (const link of links) expect(await host.app.openExternal(link)).toBe(true);
  for (const link of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'nonsense']) {
    expect(await host.app.openExternal(link)).toBe(false);
  }
  expect(opened).toEqual(links);
});

test('pages are told by how much this device’s clock differs from the service’s', async () => {
  const told: number[] = [];
  host.clock.changed((offset) => told.push(offset));
  await signIn();
  expect([await host.clock.offset(), told]).toEqual([0, []]);
  serviceOffset = -8 * 3_600_000;
  await host.api.call({ name: 'userInfo' });
  const offset = await host.clock.offset();
  expect(Math.abs(offset - serviceOffset)).toBeLessThan(2000);
  await host.api.call({ name: 'userInfo' });
  // What is no answer of the service says nothing about its clock.
  serviceOffset = 0;
  reply = () => ({ status: 502, body: 'Bad gateway' });
  await host.api.call({ name: 'userInfo' });
  expect(told).toEqual([offset]);
});

test('on the web, only language, colours and the welcome can be set', async () => {
  const tunnel = { routing: 'global', killSwitch: false, localNetwork: false };
  const preferences = { ...tunnel, language: 'system', theme: 'system', welcomed: false };
  expect(await host.preferences.get()).toEqual(preferences);
  for (const change of [{ killSwitch: true }, { routing: 'automatic' }] as const)
    expect(await host.preferences.set(change)).toEqual({ ok: false, error: 'not-applied' });
  expect(await host.preferences.get()).toEqual(preferences);
  expect(await host.server.choose('one')).toBe(false);
  expect(await host.server.chosen()).toBeNull();
  expect(storage.entries.size).toBe(0);
  expect(await host.preferences.set({ theme: 'dark' })).toEqual({ ok: true });
  expect(await host.preferences.set({ welcomed: true })).toEqual({ ok: true });
  await host.session.signOut({ by: 'user' });
  expect(await host.preferences.get()).toEqual({ ...preferences, theme: 'dark', welcomed: true });
  storage.full = true;
  expect(await host.preferences.set({ language: 'zh-hans' })).toEqual({ ok: false, error: 'not-stored' });
  storage.entries.set('look', '{"language":"xx","theme":"dark"');
  expect(await host.preferences.get()).toEqual(preferences);
});
