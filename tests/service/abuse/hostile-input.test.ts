import { envelope } from '#shared/api/result.ts';
import * as fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import {
  databaseKindsOfRun,
  newEmail,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';
import { hostileText, hostileValue } from './arbitrary-of.ts';

const numRuns = isExhaustive ? 400 : 40;

describe.each(databaseKindsOfRun)('hostile input on %s', (kind) => {
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
    const reply = await running.service.http.inject(request);
    expect(reply.statusCode).toBeLessThan(500);
    expect(envelope.safeParse(reply.json()).success).toBe(true);
    return reply;
  }

  test('any body', async () => {
    const headers = { 'content-type': 'application/json' };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          hostileValue.map((json) => JSON.stringify(json)),
          hostileText,
        ),
        async (payload) => {
          const reply = await expectAnswer({ method: 'POST', url: '/api/auth', headers, payload });
          expect(reply.statusCode).toBeGreaterThanOrEqual(400);
        },
      ),
      { numRuns },
    );
  });

  test('any path', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/api/page-notes/', '/api/translations/waymaker/', '/api/'),
        hostileText,
        fc.constantFrom(encodeURIComponent, encodeURI),
        async (start, end, encode) => {
          await expectAnswer({ method: 'GET', url: start + encode(end.toWellFormed()) });
        },
      ),
      { numRuns },
    );
  });

  test('any header', async () => {
    const header = hostileText.map((raw) => raw.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));
    const credentials = fc.oneof(
      header,
      hostileText.map((raw) => `Basic ${Buffer.from(raw).toString('base64')}`),
      hostileText.map((raw) => `Basic ${Buffer.from(`${device.deviceId}:${raw}`).toString('base64')}`),
      hostileText.map((raw) => `Basic ${Buffer.from(`${raw}:${owner.token}`).toString('base64')}`),
    );
    await fc.assert(
      fc.asyncProperty(credentials, header, async (authorization, language) => {
        const headers = { authorization, 'accept-language': language };
        const reply = await expectAnswer({ method: 'GET', url: '/api/user-info', headers });
        expect(reply.statusCode).toBe(401);
      }),
      { numRuns },
    );
  });

  test('after all that the account is as it was', async () => {
    const result = await device.client.call('userInfo');
    expect(result).toMatchObject({ ok: true, data: { email: owner.email } });
  });
});
