import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../test-service.ts';

const consoleOrigin = 'http://console.example.net';
const appOrigin = 'waymaker-app://console';
let running: TestService;
beforeAll(async () => {
  running = await startTestService({
    environment: { WAYMAKER_CONSOLE_URL: `${consoleOrigin}/`, WAYMAKER_APP_ORIGINS: appOrigin },
  });
});
afterAll(() => running[Symbol.asyncDispose]());

const preflight = (path: string, origin: string) =>
  fetch(running.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

test.each([
  ['a console on another origin', consoleOrigin],
  ['an app that brings the pages along', appOrigin],
])('%s may call the API', async (_, origin) => {
  const { status, headers } = await preflight('/api/group/members', origin);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  expect(headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(headers.get('access-control-allow-headers')).toContain('Authorization');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});

test.each([
  ['a success', '/api/basic-info', 200],
  ['a refusal', '/api/user-info', 401],
  ['what is not there', '/api/none', 404],
  ['what has no name', '/api/page-notes/%ff', 404],
])('the console may read %s', async (_, path, status) => {
  const reply = await fetch(running.url + path, { headers: { origin: consoleOrigin } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
  expect(reply.headers.get('vary')?.toLowerCase()).toContain('origin');
});

test('the console may read that it asks too often', async () => {
  await using limited = await startTestService({
    environment: { WAYMAKER_CONSOLE_URL: consoleOrigin },
    requestsPerMinute: 1,
  });
  const ask = () => fetch(`${limited.url}/api/basic-info`, { headers: { origin: consoleOrigin } });
  await ask();
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
});

test('another site may not read answers', async () => {
  const other = 'https://evil.example.net';
  expect((await preflight('/api/group/members', other)).headers.get('access-control-allow-origin')).not.toBe(
    other,
  );
});
