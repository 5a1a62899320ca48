import type { SandboxDecision } from '#shared/entities.ts';
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEntitlements } from '../../../src/service/account/entitlement.ts';
import { paymentEventsPath } from '../../../src/service/billing/payment-events.ts';
import type { PaymentProvider, PaymentState } from '../../../src/service/billing/payment-provider.ts';
import { reconcilePayments } from '../../../src/service/billing/reconcile.ts';
import { createSettle } from '../../../src/service/billing/settle.ts';
import { signatureHeader, signWebhook } from '../../../src/service/billing/webhook-signature.ts';
import { orders, paymentEvents } from '../../../src/service/database/schema.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { decide as decideAt, orderAsGuest } from '../buying.ts';
import {
  databaseKinds,
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const titles = { en: 'Family month', 'zh-hans': '家庭版月付', 'zh-hant': '家庭版月付' };
const seed: Seed = {
  products: [{ id: 'family', service: 'Family', titles, days: 30, seats: 5, price: 999 }],
};
const dayMs = 24 * 3_600_000;
const secret = 'a secret that only the provider knows';

const expiry = async (device: TestDevice) => {
  const result = await device.client.call('myService');
  return result.ok && result.data.expiredAt ? Date.parse(result.data.expiredAt) : undefined;
};

/** A new account with an unpaid order of a family month. */
async function newOrder(running: TestService) {
  const email = newEmail();
  const device = await signedIn(running, email);
  const id = await orderAsGuest(running.url, { productId: 'family', email });
  const [row] = await running.service.database.select().from(orders).where(eq(orders.email, email));
  return { email, device, id, reference: row?.uuid ?? '' };
}

describe.each(databaseKinds)('reports of a provider on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({
      environment: {
        ...(await newSeededEnvironment(kind, seed)),
        WAYMAKER_PAYMENTS: 'provider',
        WAYMAKER_PAYMENT_URL: 'http://127.0.0.1:1',
        WAYMAKER_PAYMENT_SECRET: secret,
      },
    });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const report = (reference: string, revision: number, state: PaymentState['state'], more = {}) => ({
    id: randomUUID(),
    payment: { reference, revision, state, amount: 999, currency: 'USD', ...more },
  });

  async function send(event: object, changes: { signedBy?: string; at?: Date; body?: string } = {}) {
    const body = JSON.stringify(event);
    const at = changes.at ?? running.clock.now();
    const reply = await fetch(running.url + paymentEventsPath, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [signatureHeader]: signWebhook(changes.signedBy ?? secret, body, at),
      },
      body: changes.body ?? body,
    });
    return reply.status;
  }

  const nextMonth = () => running.clock.now().getTime() + 30 * dayMs;

  test('a report that is paid makes a payer, though nobody comes back to confirm', async () => {
    const { device, id, reference } = await newOrder(running);
    expect(await send(report(reference, 1, 'open'))).toBe(200);
    expect(await expiry(device)).toBeUndefined();
    expect(await send(report(reference, 2, 'paid'))).toBe(200);
    expect(await expiry(device)).toBe(nextMonth());
    expect(await device.client.call('confirmPayment', { body: { order_id: id } })).toMatchObject({
      ok: true,
    });
    expect(await device.client.call('userInfo')).toMatchObject({ data: { profile: { level: 2 } } });
  });

  test('two hundred at once settle once', async () => {
    const { device, id, reference } = await newOrder(running);
    const same = report(reference, 1, 'paid');
    const events = Array.from({ length: 200 }, (_, i) =>
      i % 2 ? same : report(reference, 1 + (i % 7), 'paid'),
    );
    const statuses = await Promise.all(events.map((event) => send(event)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await expiry(device)).toBe(nextMonth());
    expect(await device.client.call('confirmPayment', { body: { order_id: id } })).toMatchObject({
      ok: true,
    });
    expect(await expiry(device)).toBe(nextMonth());
    const kept = eq(paymentEvents.eventId, same.id);
    expect(await running.service.database.$count(paymentEvents, kept)).toBe(1);
  });

  test('an event counts once, whatever it says the second time', async () => {
    const { device, reference } = await newOrder(running);
    const event = report(reference, 1, 'open');
    await send(event);
    expect(await send({ ...report(reference, 2, 'paid'), id: event.id })).toBe(200);
    expect(await expiry(device)).toBeUndefined();
  });

  test('of two reports the newer is believed, in whatever order they come', async () => {
    const { device, reference } = await newOrder(running);
    await send(report(reference, 3, 'refunded'));
    await send(report(reference, 2, 'paid'));
    await send(report(reference, 1, 'open'));
    expect(await expiry(device)).toBeUndefined();
  });

  test('a refund takes the plan back, a dispute until it is won', async () => {
    const { device, reference } = await newOrder(running);
    await send(report(reference, 1, 'paid'));
    await send(report(reference, 2, 'disputed'));
    expect((await expiry(device)) ?? 0).toBeLessThanOrEqual(running.clock.now().getTime());
    await send(report(reference, 3, 'paid'));
    expect(await expiry(device)).toBe(nextMonth());
    await send(report(reference, 4, 'refunded'));
    expect((await expiry(device)) ?? 0).toBeLessThanOrEqual(running.clock.now().getTime());
    await send(report(reference, 3, 'paid'));
    expect((await expiry(device)) ?? 0).toBeLessThanOrEqual(running.clock.now().getTime());
  });

  test('a refund of half the price takes half of the time', async () => {
    const { device, reference } = await newOrder(running);
    await send(report(reference, 1, 'paid'));
    await send(report(reference, 2, 'refunded', { refunded: 333 }));
    expect(await expiry(device)).toBe(running.clock.now().getTime() + 20 * dayMs);
  });

  test('a refund that nobody reports is found within days, however old the payment', async () => {
    const { database } = running.service;
    const { now } = running.clock;
    const logger = pino({ level: 'silent' });
    const settle = createSettle({
      entitlements: createEntitlements({ gateways: undefined, now }),
      now,
      logger,
    });
    const { device, reference } = await newOrder(running);
    await send(report(reference, 1, 'paid'));
    const states: PaymentState[] = [
      { revision: 1, state: 'paid', amount: 999, currency: 'USD' },
      { revision: 2, state: 'refunded', amount: 999, currency: 'USD' },
    ];
    let asked = 0;
    const provider: PaymentProvider = {
      createPayment: () => Promise.reject(new Error('nothing is bought')),
      paymentOf: async (of) => {
        const state = states[of === reference && asked > 0 ? 1 : 0];
        if (of === reference) asked += 1;
        return state ?? Promise.reject(new Error('no state'));
      },
    };
    const reconcile = () => reconcilePayments({ database, provider, settle, now, logger });
    await reconcile();
    expect(asked).toBe(0);
    running.clock.advance({ hours: 24 });
    await reconcile();
    await reconcile();
    expect(asked).toBe(1);
    expect(await expiry(device)).toBeGreaterThan(now().getTime());
    running.clock.advance({ hours: 24 });
    await reconcile();
    expect(asked).toBe(2);
    expect((await expiry(device)) ?? 0).toBeLessThanOrEqual(now().getTime());
  });

  test('what is late by days counts', async () => {
    const { device, reference } = await newOrder(running);
    running.clock.advance({ hours: 24 * 5 });
    expect(await send(report(reference, 1, 'paid'))).toBe(200);
    expect(await expiry(device)).toBe(nextMonth());
  });

  test('another amount or currency pays nothing', async () => {
    const { device, reference } = await newOrder(running);
    await send(report(reference, 1, 'paid', { amount: 1 }));
    await send(report(reference, 2, 'paid', { currency: 'EUR' }));
    expect(await expiry(device)).toBeUndefined();
    await send(report(reference, 3, 'paid'));
    expect(await expiry(device)).toBe(nextMonth());
  });

  test('who has not signed, or long ago, reports nothing', async () => {
    const { device, reference } = await newOrder(running);
    const event = report(reference, 1, 'paid');
    const now = running.clock.now().getTime();
    expect(await send(event, { signedBy: 'another secret' })).toBe(401);
    expect(await send(event, { at: new Date(now - 301_000) })).toBe(401);
    expect(await send(event, { at: new Date(now + 301_000) })).toBe(401);
    // The signature is over the bytes: the same JSON, written otherwise, is not signed.
    expect(await send(event, { body: `${JSON.stringify(event)} ` })).toBe(401);
    const unsigned = await fetch(running.url + paymentEventsPath, {
      method: 'POST',
      body: JSON.stringify(event),
    });
    expect(unsigned.status).toBe(401);
    expect(await expiry(device)).toBeUndefined();
    expect(await send({ id: 'x' })).toBe(422);
    expect(await send(event, { at: new Date(now - 299_000) })).toBe(200);
    expect(await expiry(device)).toBe(nextMonth());
  });

  test('a report on an order that is not there is taken, and changes nothing', async () => {
    expect(await send(report(randomUUID(), 1, 'paid'))).toBe(200);
  });
});

describe.each(databaseKinds)('the sandbox on %s', (kind) => {
  test('reports to the service that it is in', async () => {
    await using running = await startTestService({ environment: await newSeededEnvironment(kind, seed) });
    const { device, id } = await newOrder(running);
    const body = { payMethod: 'wordgate' } as const;
    const payment = await device.client.call('createPayment', { params: { id }, body });
    const payUrl = payment.ok ? payment.data.extra.pay_url : '';
    const decide = (decision: SandboxDecision) => decideAt(payUrl, decision);
    const nextMonth = running.clock.now().getTime() + 30 * dayMs;
    await decide('paid');
    await expect.poll(() => expiry(device)).toBe(nextMonth);
    await decide('disputed');
    await expect.poll(() => expiry(device)).toBeLessThan(nextMonth);
    await decide('paid');
    await expect.poll(() => expiry(device)).toBe(nextMonth);
  });
});
