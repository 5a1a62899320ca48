import type { SandboxDecision } from '#shared/entities.ts';
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { createEntitlements } from '../../../src/service/account/entitlements.ts';
import { paymentEventsPath } from '../../../src/service/billing/payment-webhook.ts';
import type { PaymentProvider, PaymentState } from '../../../src/service/billing/payment-provider.ts';
import { reconcilePayments } from '../../../src/service/billing/reconcile.ts';
import { createSettle } from '../../../src/service/billing/order-settlement.ts';
import { signatureHeader, signWebhook } from '../../../src/service/billing/webhook-signature.ts';
import { orders, paymentEvents } from '../../../src/service/database/schema/billing.ts';
import { done } from '../../../src/service/http/refusal.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import { createTestLog } from '../../unit/main/support/log.ts';
import { decide as decideAt, orderAsGuest, paymentAt } from '../buying.ts';
import {
  databaseKindsOfRun,
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

describe.each(databaseKindsOfRun)('reports of a provider on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({
      environment: {
        ...(await newSeededEnvironment(kind, seed)),
        WAYMAKER_PAYMENTS: 'provider',
        WAYMAKER_PAYMENT_URL: 'http://127.0.0.1:1',
        WAYMAKER_PAYMENT_SECRET: secret,
      },
      // Tests reconcile by themselves.
      doesJobs: false,
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

  test('many at once settle once', async () => {
    const { device, id, reference } = await newOrder(running);
    const same = report(reference, 1, 'paid');
    const events = Array.from({ length: isExhaustive ? 200 : 30 }, (_, i) =>
      i % 2 ? same : report(reference, 1 + (i % 7), 'paid'),
    );
    // A service that is too busy says so, and the provider sends the report again.
    const deliver = async (event: (typeof events)[number]): Promise<number> => {
      const status = await send(event);
      return status === 503 ? await deliver(event) : status;
    };
    const statuses = await Promise.all(events.map(deliver));
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
      refund: () => Promise.reject(new Error('nothing is given back')),
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

  /** The order behind a payment, as it is kept when its account is gone. */
  async function orderOf(reference: string) {
    const [row] = await running.service.database.select().from(orders).where(eq(orders.uuid, reference));
    return row;
  }

  test.each(['is heard', 'is lost'])(
    'what is paid for an account that is gone is owed, until the provider has given it back, once: its answer %s',
    async (answer) => {
      const { database } = running.service;
      const { now } = running.clock;
      const { log, text } = createTestLog();
      const entitlements = createEntitlements({ gateways: undefined, now });
      const settle = createSettle({ entitlements, now, logger: log });
      const { device, email, id, reference } = await newOrder(running);
      await database.update(orders).set({ paymentBegunAt: now() }).where(eq(orders.uuid, reference));
      await device.client.call('deleteSelf');
      const states: PaymentState[] = [{ revision: 1, state: 'paid', amount: 999, currency: 'USD' }];
      const refunds: string[] = [];
      let gives = false;
      const provider: PaymentProvider = {
        createPayment: () => Promise.reject(new Error('nothing is bought')),
        paymentOf: async (of) => (of === reference && states.at(-1)) || Promise.reject(new Error('another')),
        async refund(of) {
          refunds.push(of);
          if (!gives) throw new Error('no refunds on a Sunday');
          states.push({ revision: 2, state: 'refunded', amount: 999, currency: 'USD' });
          if (answer === 'is lost') throw new Error('closed without an answer');
          return states.at(-1) ?? Promise.reject(new Error('no state'));
        },
      };
      const reconcile = () => reconcilePayments({ database, provider, settle, now, logger: log });
      expect(await send(report(reference, 1, 'paid'))).toBe(200);
      const owed = { email: expect.stringMatching(/^deleted-/), paidAt: null, reversedAt: null };
      expect(await orderOf(reference)).toMatchObject({ ...owed, refundDueAt: now() });

      await reconcile();
      expect(new Set(refunds)).toEqual(new Set([reference]));
      expect(text()).toContain(`"order":${id},"reference":"${reference}"`);
      expect(text()).toContain('could not be given back');
      expect(text()).not.toContain(email);
      expect(await orderOf(reference)).toMatchObject({ ...owed, refundDueAt: now() });

      running.clock.advance({ hours: 1 });
      gives = true;
      await reconcile();
      const asked = refunds.length;
      if (answer === 'is lost') {
        expect(await orderOf(reference)).toMatchObject(owed);
        running.clock.advance({ hours: 1 });
        await reconcile();
      }
      expect(await orderOf(reference)).toMatchObject({
        paidAt: null,
        reversedAt: now(),
        paymentCheckAt: null,
      });
      running.clock.advance({ hours: 24 * 100 });
      await reconcile();
      expect(refunds).toHaveLength(asked);
      expect(text()).not.toContain('an order is given up');
    },
  );

  test('what is paid for an account that is gone is owed, also if its order was about to be deleted as unpaid', async () => {
    const { database } = running.service;
    const { now } = running.clock;
    const logger = pino({ level: 'silent' });
    const entitlements = createEntitlements({ gateways: undefined, now });
    const settle = createSettle({ entitlements, now, logger });
    const { device, reference } = await newOrder(running);
    const begun = { paymentBegunAt: now(), paymentCheckAt: now() };
    await database.update(orders).set(begun).where(eq(orders.uuid, reference));
    await device.client.call('deleteSelf');
    running.clock.advance({ hours: 24 * 8 });
    const provider: PaymentProvider = {
      createPayment: () => Promise.reject(new Error('nothing is bought')),
      refund: () => Promise.reject(new Error('no refunds on a Sunday')),
      async paymentOf(of) {
        if (of !== reference) throw new Error('another');
        expect(await send(report(reference, 2, 'paid'))).toBe(200);
        return { revision: 1, state: 'declined', amount: 0, currency: 'USD' };
      },
    };
    await reconcilePayments({ database, provider, settle, now, logger });
    expect(await orderOf(reference)).toMatchObject({ refundDueAt: now(), reversedAt: null });
  });

  test('what was had before its account was deleted is not given back, also after a dispute that was won', async () => {
    const { device, reference } = await newOrder(running);
    await send(report(reference, 1, 'paid'));
    await device.client.call('deleteSelf');
    await send(report(reference, 2, 'disputed'));
    await send(report(reference, 3, 'paid'));
    expect(await orderOf(reference)).toMatchObject({ refundDueAt: null, reversedAt: null });
  });

  test('a run asks for so many orders as it has time for, and first for those that are not settled', async () => {
    const { database } = running.service;
    const { now } = running.clock;
    const base = { email: newEmail(), title: 'x', service: 'x', days: 1, seats: 1, price: 1, quantity: 1 };
    const order = { ...base, totalAmount: 1, createdAt: now(), paymentBegunAt: now() };
    const dueAt = (secondsAgo: number) => new Date(now().getTime() - secondsAgo * 1000);
    const old = Array.from({ length: 250 }, () => ({ ...order, paidAt: now(), paymentCheckAt: dueAt(10) }));
    const made = await database.insert(orders).values(old).returning({ uuid: orders.uuid });
    const [waiting] = await database
      .insert(orders)
      .values({ ...order, paymentCheckAt: dueAt(5) })
      .returning({ uuid: orders.uuid });
    const own = new Set(made.map(({ uuid }) => uuid));
    const asked: string[] = [];
    const provider: PaymentProvider = {
      createPayment: () => Promise.reject(new Error('nothing is bought')),
      refund: () => Promise.reject(new Error('nothing is given back')),
      async paymentOf(of) {
        asked.push(of);
        return { revision: 1, state: 'open', amount: 0, currency: 'USD' };
      },
    };
    const logger = pino({ level: 'silent' });
    const reconcile = () =>
      reconcilePayments({ database, provider, settle: async () => done(null), now, logger });
    await reconcile();
    expect(asked).toHaveLength(200);
    // Of ten at once.
    expect(asked.slice(0, 10)).toContain(waiting?.uuid);
    await reconcile();
    expect(new Set(asked.filter((of) => own.has(of))).size).toBe(250);
    await database.delete(orders).where(eq(orders.email, base.email));
  });

  test('a payment that was to be asked for by a clock that was wrong is asked for once that is set back', async () => {
    const { database } = running.service;
    const { now } = running.clock;
    const base = { email: newEmail(), title: 'x', service: 'x', days: 1, seats: 1, price: 1, quantity: 1 };
    const inDays = (days: number) => new Date(now().getTime() + days * dayMs);
    const checks = [
      { createdAt: inDays(365), paymentBegunAt: inDays(365), paymentCheckAt: inDays(365) },
      { createdAt: inDays(365), paidAt: inDays(365), paymentCheckAt: inDays(366) },
      // As it should be.
      { createdAt: inDays(-100), paidAt: inDays(-100), paymentCheckAt: inDays(25) },
      { createdAt: now(), paymentBegunAt: now(), paymentCheckAt: inDays(1) },
    ];
    const made = await database
      .insert(orders)
      .values(checks.map((check) => ({ ...base, ...check, totalAmount: 1 })))
      .returning({ uuid: orders.uuid });
    const asked: string[] = [];
    const provider: PaymentProvider = {
      createPayment: () => Promise.reject(new Error('nothing is bought')),
      refund: () => Promise.reject(new Error('nothing is given back')),
      async paymentOf(of) {
        asked.push(of);
        return { revision: 1, state: 'open', amount: 0, currency: 'USD' };
      },
    };
    const logger = pino({ level: 'silent' });
    const askedOf = async () => {
      asked.length = 0;
      await reconcilePayments({ database, provider, settle: async () => done(null), now, logger });
      return made.flatMap(({ uuid }, index) => (asked.includes(uuid) ? [index] : []));
    };
    expect(await askedOf()).toEqual([0, 1]);
    expect(await askedOf()).toEqual([]);
    await database.delete(orders).where(eq(orders.email, base.email));
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

  test('a report whose signature is missing, wrong or old changes nothing', async () => {
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

  test('whoever pays is told that the provider cannot be reached', async () => {
    const { device, id } = await newOrder(running);
    const failure = {
      kind: 'service',
      code: 503,
      msg: 'The payment provider cannot be reached. Please retry in a moment.',
    };
    const body = { payMethod: 'wordgate' } as const;
    expect(await device.client.call('createPayment', { params: { id }, body })).toEqual({
      ok: false,
      failure,
    });
    const asked = device.client.call('confirmPayment', { body: { order_id: id } });
    expect(await asked).toEqual({ ok: false, failure });
  });

  test('a report on an order that is not there is taken, and changes nothing', async () => {
    expect(await send(report(randomUUID(), 1, 'paid'))).toBe(200);
  });
});

describe.each(databaseKindsOfRun)('the sandbox on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ environment: await newSeededEnvironment(kind, seed) });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test('gives back what is paid for an account that is gone', async () => {
    const { device, id, reference } = await newOrder(running);
    const body = { payMethod: 'wordgate' } as const;
    const payment = await device.client.call('createPayment', { params: { id }, body });
    const payUrl = payment.ok ? payment.data.extra.pay_url : '';
    await device.client.call('deleteSelf');
    await decideAt(payUrl, 'paid');
    const { database, jobs } = running.service;
    const order = async () => (await database.select().from(orders).where(eq(orders.uuid, reference)))[0];
    await expect.poll(async () => (await order())?.refundDueAt).toEqual(running.clock.now());
    await jobs.doNow(jobNames.payments);
    await expect.poll(async () => (await order())?.reversedAt).toEqual(running.clock.now());
    expect(await paymentAt(payUrl)).toMatchObject({ data: { state: 'refunded' } });
  });

  test('reports to the service that it is in', async () => {
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
