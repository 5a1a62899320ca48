import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { apiPath, type ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName, type ApiData } from '#shared/api/calls.ts';
import type { ApiCallInput } from '#shared/api/client.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { readEvents } from '../events/event-reader.ts';
import { createDatabase, startPostgresql } from '../postgresql-server.ts';
import { startProgram } from '../service-process.ts';
import { newEmail, newSeededEnvironment, TestDevice } from '../test-service.ts';

/**
 * PostgreSQL is restarted while people buy, with one process and with two; also while they are paused, so that they
 * read that a connection has ended together with the answer before.
 */

const titles = { en: 'A month', 'zh-hans': '一个月', 'zh-hant': '一個月' };
const keys = Array.from({ length: 400 }, () => randomUUID());
const seed = {
  products: [{ id: 'month', service: 'Plan', titles, days: 30, seats: 5, price: 500 }],
  licenseKeys: keys.map((key) => ({ key, service: 'Plan', days: 30, seats: 5 })),
};

/** A PostgreSQL server with a service of so many processes on it, each with so many connections. */
async function startAll({ processes, connections }: { processes: number; connections: number }) {
  const stack = new AsyncDisposableStack();
  const postgresql = await startPostgresql();
  stack.defer(() => postgresql.stop());
  const url = await createDatabase(postgresql.socket, 'restarted');
  const environment = {
    ...(await newSeededEnvironment('postgresql', seed)),
    DATABASE_URL: url,
    WAYMAKER_DATABASE_CONNECTIONS: String(connections),
    WAYMAKER_LIMIT_FACTOR: '10000',
  };
  const services = [];
  for (let i = 0; i < processes; i += 1)
    services.push(stack.use(await startProgram('index.ts', environment)));
  return {
    postgresql,
    /** How much was granted, and how many days of plans that came to. */
    async sold() {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ grants: number; days: number }>(
        `select (select count(*)::int from grants) as grants,
          (select sum(extract(epoch from "to" - "from")) / 86400 from entitlements)::int as days`,
      );
      await client.end();
      return rows[0];
    },
    services,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Somebody who asks one process after the other, and again while told to come later. */
class Caller {
  /** How often they were told. */
  busy = 0;
  private readonly urls: readonly string[];
  private readonly authorization: string;
  private asked = 0;

  constructor(urls: readonly string[], { deviceId, token }: TestDevice) {
    this.urls = urls;
    this.authorization = `Basic ${btoa(`${deviceId}:${token}`)}`;
  }

  /** The answer; rejects where there is none, or another refusal. */
  async ask<Name extends ApiCallName>(name: Name, input: ApiCallInput<Name> = {}): Promise<ApiData<Name>> {
    const call: ApiCall = apiCalls[name];
    for (;;) {
      this.asked += 1;
      const url = this.urls[this.asked % this.urls.length] ?? '';
      const reply = await fetch(url + apiPath(call, { ...input.params }), {
        method: call.method,
        headers: { 'content-type': 'application/json', authorization: this.authorization },
        ...(call.method !== 'GET' && { body: JSON.stringify(input.body ?? {}) }),
      });
      const text = await reply.text();
      if (reply.status === 200) return (JSON.parse(text) as { data: ApiData<Name> }).data;
      if (reply.status !== 503) throw new Error(`${name}: ${text}`);
      expect(reply.headers.get('retry-after'), text).toBe('5');
      this.busy += 1;
      await delay(50);
    }
  }

  /** Orders and pays. */
  async pay(): Promise<string> {
    const { orderId } = await this.ask('createOrder', { body: { productId: 'month', quantity: 1 } });
    const body = { payMethod: 'wordgate' } as const;
    const { extra } = await this.ask('createPayment', { params: { id: orderId }, body });
    const id = extra.pay_url.split('/').at(-1) ?? '';
    await this.ask('decideSandboxPayment', { params: { id }, body: { decision: 'paid' } });
    return orderId;
  }

  async buy(): Promise<void> {
    await this.ask('confirmPayment', { body: { order_id: await this.pay() } });
  }

  /** A second try, after the answer to the first was lost, is told that the key is used. */
  async redeem(key: string): Promise<void> {
    await this.ask('consumeLicenseKey', { params: { key } }).catch((error: unknown) => {
      expect(String(error)).toContain('You have already used this license key');
    });
  }
}

test.each([
  { mode: 'immediate', processes: 2, are: 'sell' },
  { mode: 'fast', processes: 2, are: 'sell' },
  { mode: 'fast', processes: 2, are: 'are paused' },
  { mode: 'immediate', processes: 1, are: 'sell' },
] as const)('restarted -m $mode under $processes processes that $are', async ({ mode, processes, are }) => {
  const isPausing = are === 'are paused';
  // Most wait for the only one, which is handed over to them as soon as it is free.
  await using all = await startAll({ processes, connections: isPausing ? 1 : 4 });
  const [first] = all.services;
  if (!first) throw new Error('no service');
  const devices = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const device = new TestDevice(first);
      await device.signIn(newEmail());
      return device;
    }),
  );
  const urls = all.services.map(({ url }) => url);
  const callers = devices.map((device) => new Caller(urls, device));
  const [device] = devices;
  const [caller] = callers;
  if (!device || !caller) throw new Error('nobody');

  await using stream = await readEvents(first.url, device);
  /** False if the stream was ended first, as its process had not listened again yet. */
  const isTold = async (url: string) => {
    await using again = await readEvents(url, device);
    const isHere = () => again.events.includes('entitlement');
    await caller.redeem(left.pop() ?? '');
    await expect.poll(() => again.isOver || isHere()).toBe(true);
    return isHere();
  };
  const left = [...keys];
  const ending = new AbortController();
  let bought = 0;
  const buying = Promise.all(
    callers.map(async (one, index) => {
      while (!ending.signal.aborted) {
        if (index % 2) await one.buy();
        else await one.redeem(left.pop() ?? '');
        bought += 1;
      }
    }),
  );
  /** Rejects as soon as somebody gets no answer. */
  const buyEightMore = () => {
    const before = bought;
    return Promise.race([buying, expect.poll(() => bought).toBeGreaterThan(before + 8)]);
  };
  await buyEightMore();
  const busy = () => callers.reduce((sum, one) => sum + one.busy, 0);
  // Until it comes while somebody is served, too.
  for (let restarts = 0; restarts < (isPausing ? 4 : 1) || busy() === 0; restarts += 1) {
    if (isPausing) for (const service of all.services) service.pause();
    await all.postgresql.restart(mode);
    for (const service of all.services) service.resume();
    await buyEightMore();
  }
  ending.abort();
  await buying;

  expect(await all.sold()).toEqual({ grants: bought, days: bought * 30 });
  // Its process has listened again since, and what was missed is to be asked for.
  await stream.over;
  for (const url of urls) while (!(await isTold(url))) continue;
  // By the webhook, which is a job.
  const orderId = await caller.pay();
  await expect.poll(async () => (await caller.ask('order', { params: { orderId } })).isPaid).toBe(true);
});
