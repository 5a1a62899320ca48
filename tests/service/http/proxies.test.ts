import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/service/limits/limits.ts';
import { newEmail } from '../test-service.ts';
import { caddy, nginx, startBehind } from './reverse-proxies.ts';

/*
 * Two processes of the service over one database, behind a proxy as an operator would run it. Callers come from
 * different addresses of the loopback network, so that the proxy, and not the test, says where they are.
 */
/** Asks for a code from an address, and claims to come from anywhere. */
async function askFrom(localAddress: string, port: number) {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': `203.0.113.${Math.floor(Math.random() * 256)}`,
  };
  const asked = request({
    host: '127.0.0.1',
    port,
    localAddress,
    headers,
    agent: false,
    method: 'POST',
    path: '/api/get-auth-code',
  });
  asked.end(JSON.stringify({ email: newEmail(), deviceId: randomUUID(), deviceName: 'A device' }));
  const [reply] = await once(asked, 'response');
  await text(reply);
  return { status: reply.statusCode as number, process: String(reply.headers['x-process']) };
}

const { burst } = defaultLimits.codesPerSource;

describe.each([
  { name: 'nginx', proxy: nginx },
  { name: 'Caddy', proxy: caddy },
])('behind $name', ({ proxy }) => {
  test.each(['tcp', 'socket'] as const)(
    'over %s, two processes share the limit of each caller, whatever the caller claims',
    async (over) => {
      await using running = await startBehind(proxy, over);
      const replies: Awaited<ReturnType<typeof askFrom>>[] = [];
      for (let i = 0; i < burst + 6; i += 1) replies.push(await askFrom('127.0.0.2', running.port));
      expect(replies.map(({ status }) => status)).toEqual(
        Array.from({ length: burst + 6 }, (_, i) => (i < burst ? 200 : 429)),
      );
      expect(new Set(replies.map(({ process }) => process)).size).toBe(2);
      expect(await askFrom('127.0.0.3', running.port)).toMatchObject({ status: 200 });
    },
  );
});
