import { randomUUID } from 'node:crypto';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { envelope } from '#shared/api/result.ts';
import * as fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callNames,
  databaseKinds,
  newEmail,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

/** Text of every kind: NUL, lone surrogates, line ends, SQL, paths, headers, options. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "'; drop table users; --",
    '../../etc/passwd',
    'a\r\nBcc: b@example.com',
    '\0',
    '\uD800',
    '--help',
    'x'.repeat(10_000),
    '__proto__',
    'toString',
  ),
);
const value = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() });

describe.each(databaseKinds)('hostile input on %s', (kind) => {
  let running: TestService;
  const owner = { email: newEmail(), token: '' };
  let device: TestDevice;
  beforeAll(async () => {
    running = await startTestService({ kind });
    device = new TestDevice(running);
    owner.token = await device.signIn(owner.email);
  });
  afterAll(() => running[Symbol.asyncDispose]());

  /** Sends it as Fastify would get it, and wants an answer in an envelope that is no failure of the service. */
  async function expectAnswer(request: InjectOptions) {
    const reply = await running.service.app.inject(request);
    expect(reply.statusCode).toBeLessThan(500);
    expect(envelope.safeParse(reply.json()).success).toBe(true);
    return reply;
  }

  test.each(['/api/get-auth-code', '/api/auth'])('any fields in %s', async (url) => {
    const valid = { email: 'a@example.com', authId: randomUUID(), authCode: '123456', isDevice: true };
    const fields = { ...valid, deviceId: randomUUID(), deviceName: 'A name' };
    const body = fc.record(
      Object.fromEntries(
        Object.entries(fields).map(([name, good]) => [name, fc.oneof(fc.constant(good), value)]),
      ),
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (payload) => {
        await expectAnswer({ method: 'POST', url, payload });
      }),
      { numRuns: 400 },
    );
  });

  test('any body', async () => {
    const headers = { 'content-type': 'application/json' };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          value.map((json) => JSON.stringify(json)),
          text,
        ),
        async (payload) => {
          const reply = await expectAnswer({ method: 'POST', url: '/api/auth', headers, payload });
          expect(reply.statusCode).toBeGreaterThanOrEqual(400);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('any path', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/api/page-notes/', '/api/translations/waymaker/', '/api/'),
        text,
        fc.constantFrom(encodeURIComponent, encodeURI),
        async (start, end, encode) => {
          await expectAnswer({ method: 'GET', url: start + encode(end.toWellFormed()) });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('any header', async () => {
    const header = text.map((raw) => raw.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));
    const credentials = fc.oneof(
      header,
      text.map((raw) => `Basic ${Buffer.from(raw).toString('base64')}`),
      text.map((raw) => `Basic ${Buffer.from(`${device.deviceId}:${raw}`).toString('base64')}`),
      text.map((raw) => `Basic ${Buffer.from(`${raw}:${owner.token}`).toString('base64')}`),
    );
    await fc.assert(
      fc.asyncProperty(credentials, header, async (authorization, language) => {
        const headers = { authorization, 'accept-language': language };
        const reply = await expectAnswer({ method: 'GET', url: '/api/user-info', headers });
        expect(reply.statusCode).toBe(401);
      }),
      { numRuns: 400 },
    );
  });

  test('any fields and path parameters in the calls of a signed-in user', async () => {
    const credentials = Buffer.from(`${device.deviceId}:${owner.token}`).toString('base64');
    const headers = { authorization: `Basic ${credentials}` };
    const valid = {
      name: 'App',
      type: 'browser',
      link: 'https://example.com/',
      icon: '',
      priority: 1,
      requireLabels: ['staff'],
      loginId: 'member@example.com',
      loginType: 'email',
      order_id: '1',
      payMethod: 'wordgate',
      apps: ['firefox'],
    };
    const body = fc.record(
      Object.fromEntries(
        Object.entries(valid).map(([name, good]) => [
          name,
          fc.oneof(fc.constant(good), Array.isArray(good) ? fc.array(text) : value),
        ]),
      ),
    );
    const param = fc.oneof(
      fc.constantFrom(randomUUID(), '1', 'cn', 'en', 'member@example.com'),
      text.map((raw) => raw.toWellFormed().slice(0, 60)),
    );
    const endsSession = (name: ApiCallName) => name === 'deleteSelf' || name === 'revokeDevices';
    const others = callNames.filter((name) => apiCalls[name].auth && !endsSession(name));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...others), param, body, async (name, raw, payload) => {
        const { method, path } = apiCalls[name];
        const url = path.replace(/\{\w+\}/g, () => encodeURIComponent(raw));
        const reply = await expectAnswer({ method, url, headers, ...(method !== 'GET' && { payload }) });
        expect(reply.statusCode).not.toBe(401);
      }),
      { numRuns: 250 },
    );
  });

  test('after all that the account is as it was', async () => {
    const result = await device.client.call('userInfo');
    expect(result).toMatchObject({ ok: true, data: { email: owner.email } });
  });
});
