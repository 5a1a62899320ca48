import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiClient, type ApiClient, type ApiSession } from '#shared/api/client.ts';

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

const account = { email: 'a@example.org', profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } };
const deviceId = '6f1c1f0e-6a0d-4e0b-8e52-111111111111';

/** A real HTTP exchange: the service's side is whatever `reply` says. */
describe('API client', () => {
  let reply: { status: number; body: string };
  let received: Received[];
  let session: ApiSession;
  let ended: number;
  let client: ApiClient;
  let duringCall: () => void;
  let close: () => Promise<void>;

  beforeEach(async () => {
    reply = { status: 200, body: JSON.stringify({ code: 0, msg: '', data: account }) };
    received = [];
    session = { deviceId, token: 'secret' };
    ended = 0;
    duringCall = () => {};
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ method: request.method, url: request.url, headers: request.headers, body });
        duringCall();
        response.writeHead(reply.status).end(reply.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = createApiClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      fetch,
      deviceName: 'Lab machine',
      session: () => session,
      endSession: async () => {
        ended += 1;
      },
    });
    close = () => new Promise((resolve) => server.close(() => resolve()));
  });

  afterEach(() => close());

  test('a server whose place or load is odd is listed without it', async () => {
    const odd = {
      serverId: 'osl',
      name: 'Oslo',
      domain: 'osl.example.org',
      country: 'Norway',
      city: 7,
      load: 73,
    };
    const group = { id: 'g', name: 'G', isTrial: false, trialExpiredAt: null };
    const items = [{ ...group, items: [{ id: 'i', level: 0, servers: [odd] }] }];
    reply = { status: 200, body: JSON.stringify({ code: 0, msg: '', data: { items } }) };
    const listed = await client.call('serverGroups');
    const { serverId, name, domain } = odd;
    expect(listed.ok && listed.data.items[0]?.items[0]?.servers).toEqual([{ serverId, name, domain }]);
  });

  test('sends Authorization (Basic of deviceId:token), Accept and Content-Type as JSON', async () => {
    await expect(client.call('userInfo', { language: 'zh-hant' })).resolves.toEqual({
      ok: true,
      data: account,
    });
    expect(received[0]).toMatchObject({
      method: 'GET',
      url: '/api/user-info',
      headers: {
        authorization: `Basic ${Buffer.from(`${deviceId}:secret`).toString('base64')}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'accept-language': 'zh-hant',
      },
    });
  });

  test('adds deviceId and deviceName where the contract says so', async () => {
    reply.body = JSON.stringify({ code: 0, msg: '', data: { authId: 'x' } });
    await client.call('getAuthCode', { body: { email: 'a@example.org' } });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      email: 'a@example.org',
      deviceId,
      deviceName: 'Lab machine',
    });
  });

  test('percent-encodes path parameters', async () => {
    await client.call('pageNotes', { params: { pageName: '../user-info?x=1' } });
    expect(received[0]?.url).toBe('/api/page-notes/..%2Fuser-info%3Fx%3D1');
  });

  test('401 on a call needing auth ends the session', async () => {
    reply = { status: 401, body: JSON.stringify({ code: 401, msg: 'sign in', data: null }) };
    await expect(client.call('myService')).resolves.toEqual({ ok: false, failure: { kind: 'unauthorized' } });
    expect(ended).toBe(1);
  });

  test('401 on a call that was made without a token ends nothing: nobody was refused', async () => {
    session = { deviceId, token: undefined };
    reply = { status: 401, body: JSON.stringify({ code: 401, msg: 'sign in', data: null }) };
    expect(await client.call('myService')).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
    expect(ended).toBe(0);
  });

  test('401 on user-info is reported: there may be a cached user', async () => {
    reply = { status: 401, body: JSON.stringify({ code: 401, msg: 'sign in', data: null }) };
    await expect(client.call('userInfo')).resolves.toEqual({ ok: false, failure: { kind: 'unauthorized' } });
    expect(ended).toBe(0);
  });

  test.each([
    ['an empty body', ''],
    ['a page', '<html><head><title>401 Authorization Required</title></head></html>'],
    ['other JSON', '{"error":"unauthorized"}'],
  ])('401 with %s is not the service’s, and ends no session', async (_, body) => {
    reply = { status: 401, body };
    for (const name of ['myService', 'userInfo'] as const) {
      expect(await client.call(name)).toEqual({ ok: false, failure: { kind: 'invalid-reply' } });
    }
    expect(ended).toBe(0);
  });

  test("401 on a call without auth is the service's own message", async () => {
    reply = { status: 401, body: JSON.stringify({ code: 401, msg: 'no', data: null }) };
    const result = await client.call('basicInfo');
    expect(result).toEqual({ ok: false, failure: { kind: 'service', code: 401, msg: 'no' } });
    expect(ended).toBe(0);
  });

  test.each<[string, Partial<ApiSession>]>([
    ['token', { token: 'other' }],
    ['device', { deviceId: '6f1c1f0e-6a0d-4e0b-8e52-222222222222' }],
  ])('498 when the %s changes during a call, whatever the reply is', async (_, change) => {
    reply.status = 401;
    duringCall = () => {
      session = { ...session, ...change };
    };
    const result = await client.call('myService');
    expect(result).toEqual({ ok: false, failure: { kind: 'auth-state-changed', code: 498 } });
    expect(ended).toBe(0);
  });

  test('other nonzero codes carry the server msg', async () => {
    reply = { status: 422, body: JSON.stringify({ code: 422, msg: 'wrong code', data: null }) };
    const body = { authId: 'x', authCode: '000000', isDevice: true };
    const result = await client.call('auth', { body });
    expect(result).toEqual({ ok: false, failure: { kind: 'service', code: 422, msg: 'wrong code' } });
  });

  test('nobody answering is a network failure', async () => {
    await close();
    await expect(client.call('basicInfo')).resolves.toEqual({ ok: false, failure: { kind: 'network' } });
  });

  test('a proxy error page is a network failure, and data of another shape an invalid reply', async () => {
    reply = { status: 502, body: '<h1>Bad gateway</h1>' };
    await expect(client.call('basicInfo')).resolves.toMatchObject({ failure: { kind: 'network' } });
    reply = { status: 200, body: JSON.stringify({ code: 0, msg: '', data: { links: 1 } }) };
    await expect(client.call('basicInfo')).resolves.toMatchObject({ failure: { kind: 'invalid-reply' } });
  });
});
