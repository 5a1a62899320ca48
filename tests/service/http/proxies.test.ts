import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/service/limits/limits.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { readEvents } from '../events/event-reader.ts';
import { newEmail, TestDevice } from '../test-service.ts';
import { caddy, nginx, startBehind } from './reverse-proxies.ts';

/*
 * Two processes of the service over one database, behind a proxy as an operator would run it. Callers come from
 * different addresses of the loopback network, so that the proxy, and not the test, says where they are.
 */
const proxies = { nginx, Caddy: caddy };
type Case = [name: keyof typeof proxies, over: 'tcp' | 'socket'];

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

const { burst, perHour } = defaultLimits.codesPerSource;

describe.each(
  casesOf<Case>({
    usual: [['nginx', 'tcp']],
    all: [
      ['nginx', 'tcp'],
      ['nginx', 'socket'],
      ['Caddy', 'tcp'],
      ['Caddy', 'socket'],
    ],
  }),
)('behind %s over %s', (name, over) => {
  let running: Awaited<ReturnType<typeof startBehind>>;
  let url = '';
  beforeAll(async () => {
    running = await startBehind(proxies[name], over);
    url = `http://127.0.0.1:${running.port}`;
  });
  afterAll(() => running[Symbol.asyncDispose]());

  async function signIn(email: string): Promise<TestDevice> {
    const device = new TestDevice({ url, service: { mailboxUrl: '' } });
    // Whichever process the proxy asks has the mail.
    const boxes = running.mailboxUrls.map((mailboxUrl) => new TestDevice({ url, service: { mailboxUrl } }));
    const count = () => Promise.all(boxes.map(async (box) => (await box.mails(email)).length));
    const before = await count();
    const authId = await device.requestCode(email);
    const after = await count();
    const box = boxes.find((_, index) => after[index] !== before[index]);
    expect(await device.verify(authId, (await box?.readCode(email)) ?? '')).toMatchObject({ ok: true });
    return device;
  }

  test('events come at once, and a stream counts as one request however long it lasts', async () => {
    const email = newEmail();
    const device = await signIn(email);
    await using stream = await readEvents(url, device);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const before = Number(stream.headers.get('x-ratelimit-remaining'));
    const later = await signIn(email);
    await expect.poll(() => stream.events).toContain('devices');
    expect(before).toBeGreaterThan(0);
    await later.client.call('revokeDevices');
    await stream.over;
    expect(stream.events.at(-1)).toBe('end signed-out');
  });

  test('two processes share the limit of each caller, whatever the caller claims', async () => {
    const replies: Awaited<ReturnType<typeof askFrom>>[] = [];
    const begun = performance.now();
    for (let i = 0; i < burst + 6; i += 1) replies.push(await askFrom('127.0.0.2', running.port));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.slice(0, burst)).toEqual(Array.from({ length: burst }, () => 200));
    // One more is let through every two minutes, which a busy machine may take for these.
    const refilled = Math.floor(((performance.now() - begun) * perHour) / 3_600_000);
    const refusals = statuses.slice(burst).filter((status) => status === 429);
    expect(refusals.length).toBeGreaterThanOrEqual(6 - refilled);
    expect(new Set(replies.map(({ process }) => process)).size).toBe(2);
    expect(await askFrom('127.0.0.3', running.port)).toMatchObject({ status: 200 });
  });
});
