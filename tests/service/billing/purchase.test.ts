import { hash } from 'node:crypto';
import type { Language } from '#shared/entities.ts';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrderPayments, findOrder } from '../../../src/service/billing/order-payments.ts';
import type { PaymentProvider } from '../../../src/service/billing/payment-provider.ts';
import { reconcilePayments } from '../../../src/service/billing/reconcile.ts';
import { createWordgate } from '../../../src/service/billing/wordgate.ts';
import { licenseKeys, orders } from '../../../src/service/database/schema/billing.ts';
import { wordgatePayments } from '../../../src/service/database/schema/wordgate.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { refused } from '../../../src/service/http/refusal.ts';
import { decide, orderAsGuest, paymentAt } from '../buying.ts';
import {
  databaseKindsOfRun,
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';
import { makeMember, newPayer } from '../group/membership.ts';

const titles = { en: 'Family month', 'zh-hans': '家庭版月付', 'zh-hant': '家庭版月付（繁）' };
const seed: Seed = {
  products: [
    { id: 'family', service: 'Family', titles, days: 30, seats: 5, price: 999 },
    {
      id: 'single',
      service: 'Single',
      titles: { ...titles, en: 'Single year' },
      days: 365,
      seats: 1,
      price: 4999,
    },
  ],
  licenseKeys: Array.from({ length: 8 }, (_, i) => ({
    key: `KEY-000${i}`,
    service: 'Gift',
    days: 10,
    seats: 3,
  })),
};
const dayMs = 24 * 3_600_000;

describe.each(databaseKindsOfRun)('purchases on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    // The provider's webhooks stay away: what is seen here is due to confirming.
    const environment = await newSeededEnvironment(kind, seed);
    running = await startTestService({ environment, doesJobs: false });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  /** Orders without being signed in; the order's id. */
  const order = (
    email: string,
    fields: { productId?: string; quantity?: number } = {},
    language: Language = 'en',
  ) => orderAsGuest(running.url, { productId: 'family', email, ...fields, language });

  async function openPayment(device: TestDevice, id: string): Promise<string> {
    const body = { payMethod: 'wordgate' } as const;
    const result = await device.client.call('createPayment', { params: { id }, body });
    if (!result.ok) throw new Error('no payment', { cause: result.failure });
    return result.data.extra.pay_url;
  }

  const confirm = (device: TestDevice, id: string) =>
    device.client.call('confirmPayment', { body: { order_id: id } });
  const expiry = async (device: TestDevice) => {
    const result = await device.client.call('myService');
    return result.ok && result.data.expiredAt ? Date.parse(result.data.expiredAt) : undefined;
  };

  /** A new account with one paid order of a family month. */
  async function payer() {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    await decide(await openPayment(device, id), 'paid');
    expect(await confirm(device, id)).toEqual({ ok: true, data: null });
    return { email, device, id };
  }

  test('ordered before signing in, paid, confirmed: a payer with a plan', async () => {
    const email = newEmail();
    const id = await order(email.toUpperCase(), { quantity: 3 });
    const device = await signedIn(running, email);
    expect(await device.client.call('order', { params: { orderId: id } })).toEqual({
      ok: true,
      data: {
        id,
        uuid: expect.stringMatching(/^[\da-f-]{36}$/),
        title: 'Family month',
        price: 999,
        quantity: 3,
        totalAmount: 2997,
        isPaid: false,
        createdAt: running.clock.now().toISOString(),
        // Of all three.
        days: 90,
        seats: 5,
      },
    });
    const payment = await device.client.call('createPayment', {
      params: { id },
      body: { payMethod: 'wordgate' },
    });
    expect(payment).toMatchObject({ ok: true, data: { amount: 2997, currency: 'USD' } });
    const payUrl = payment.ok ? payment.data.extra.pay_url : '';
    expect(payUrl.startsWith(`${running.url}/wordgate/pay/`)).toBe(true);
    const decisions = ['paid', 'declined'];
    const returnUrl = `/pay/confirming?order_id=${id}`;
    expect(await paymentAt(payUrl)).toEqual({
      ok: true,
      data: { title: 'Family month', amount: 2997, currency: 'USD', state: 'open', decisions, returnUrl },
    });
    await decide(payUrl, 'paid');
    expect(await paymentAt(payUrl)).toMatchObject({ data: { state: 'paid' } });
    expect(await expiry(device)).toBeUndefined();
    expect(await confirm(device, id)).toEqual({ ok: true, data: null });
    const expiredAt = new Date(running.clock.now().getTime() + 90 * dayMs).toISOString();
    expect(await device.client.call('myService')).toMatchObject({
      data: { service: 'Family', seats: 5, expiredAt },
    });
    expect(await device.client.call('userInfo')).toMatchObject({
      data: { profile: { level: 2, firstOrderDone: true } },
    });
    expect(await device.client.call('orders')).toMatchObject({ data: { items: [{ id, isPaid: true }] } });
  });

  test('confirming again, and at once many times, extends the plan once', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    await decide(await openPayment(device, id), 'paid');
    const results = await Promise.all(Array.from({ length: 5 }, () => confirm(device, id)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(await confirm(device, id)).toEqual({ ok: true, data: null });
    expect(await expiry(device)).toBe(running.clock.now().getTime() + 30 * dayMs);
  });

  test('a second order is added to the time left, or counts from now once the plan has ended', async () => {
    const { device, email } = await payer();
    const first = (await expiry(device)) ?? 0;
    const id = await order(email, { productId: 'single' });
    await decide(await openPayment(device, id), 'paid');
    await confirm(device, id);
    expect(await expiry(device)).toBe(first + 365 * dayMs);
    expect(await device.client.call('myService')).toMatchObject({ data: { service: 'Family', seats: 1 } });
    running.clock.advance({ hours: 24 * 31 });
    expect(await device.client.call('myService')).toMatchObject({ data: { service: 'Single', seats: 1 } });
    running.clock.advance({ hours: 24 * 369 });
    // Nobody has used its token for longer than a token lasts.
    await device.signIn(email);
    const late = await order(email);
    await decide(await openPayment(device, late), 'paid');
    await confirm(device, late);
    expect(await expiry(device)).toBe(running.clock.now().getTime() + 30 * dayMs);
  });

  test('an unpaid or declined order is not confirmed, and can be paid after all', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    expect(await confirm(device, id)).toMatchObject({ failure: { code: 422 } });
    const payUrl = await openPayment(device, id);
    expect(await openPayment(device, id)).toBe(payUrl);
    expect(await confirm(device, id)).toMatchObject({
      failure: { code: 422, msg: 'The payment has not been completed yet.' },
    });
    await decide(payUrl, 'declined');
    expect(await confirm(device, id)).toMatchObject({
      failure: { code: 402, msg: 'The payment was declined.' },
    });
    running.clock.advance({ seconds: 1 });
    const other = await openPayment(device, id);
    expect(other).not.toBe(payUrl);
    await decide(other, 'paid');
    expect(await confirm(device, id)).toMatchObject({ ok: true });
  });

  test('a payment of another amount does not pay an order', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    await decide(await openPayment(device, id), 'paid');
    const { database } = running.service;
    const [row] = await database.select().from(orders).where(eq(orders.email, email));
    const isOfOrder = eq(wordgatePayments.reference, row?.uuid ?? '');
    await database.update(wordgatePayments).set({ amount: 1 }).where(isOfOrder);
    expect(await confirm(device, id)).toMatchObject({ failure: { code: 422 } });
    await database.update(wordgatePayments).set({ amount: 999, currency: 'EUR' }).where(isOfOrder);
    expect(await confirm(device, id)).toMatchObject({ failure: { code: 422 } });
    await database.update(wordgatePayments).set({ currency: 'USD' }).where(isOfOrder);
    expect(await confirm(device, id)).toMatchObject({ ok: true });
  });

  test('a payer who became a member after paying has the plan after leaving', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    await decide(await openPayment(device, id), 'paid');
    const { device: other } = await newPayer(running);
    await makeMember(other, device, email);
    expect(await confirm(device, id)).toMatchObject({ failure: { code: 403 } });
    await other.client.call('removeMember', { params: { loginId: email } });
    expect(await confirm(device, id)).toMatchObject({ ok: true });
    expect(await device.client.call('myService')).toMatchObject({ data: { service: 'Family' } });
  });

  test('a paid order needs no payment', async () => {
    const { device, id } = await payer();
    const body = { payMethod: 'wordgate' } as const;
    const params = { id };
    expect(await device.client.call('createPayment', { params, body, language: 'zh-hans' })).toMatchObject({
      failure: { code: 422, msg: '此订单已付款。' },
    });
  });

  test('an expired order is hidden and cannot be paid, while one paid in time counts', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const [lost, inTime] = [await order(email), await order(email)];
    await decide(await openPayment(device, inTime), 'paid');
    running.clock.advance({ hours: 25 });
    expect(await device.client.call('orders')).toEqual({ ok: true, data: { items: [] } });
    const body = { payMethod: 'wordgate' } as const;
    expect(await device.client.call('createPayment', { params: { id: lost }, body })).toMatchObject({
      failure: { code: 422, msg: 'This order has expired. Please order again.' },
    });
    expect(await confirm(device, inTime)).toMatchObject({ ok: true });
  });

  test('a payment during which the account is deleted is still in the books', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const [opened, unopened] = [await order(email), await order(email)];
    const payUrl = await openPayment(device, opened);
    await device.client.call('deleteSelf');
    await decide(payUrl, 'paid');
    const { database } = running.service;
    const find = (id: string) =>
      database
        .select()
        .from(orders)
        .where(eq(orders.id, Number(id)));
    expect(await find(opened)).toMatchObject([{ email: expect.stringMatching(/^deleted-/) }]);
    expect(await find(unopened)).toEqual([]);
  });

  test('an order that is deleted while its payment begins is not paid for', async () => {
    const { database } = running.service;
    const { now } = running.clock;
    const email = newEmail();
    const device = await signedIn(running, email);
    const [begun, late] = [await order(email), await order(email)];
    const opened: string[] = [];
    const provider: PaymentProvider = {
      async createPayment({ reference }) {
        opened.push(reference);
        return { payUrl: 'https://pay.example.net/' };
      },
      refund: () => Promise.reject(new Error('nothing is given back')),
      paymentOf: () => Promise.reject(new Error('nobody asks')),
    };
    const payments = createOrderPayments({
      database,
      settle: async () => refused('payment-open'),
      provider,
      consoleUrl: undefined,
      now,
      logger: pino({ level: 'silent' }),
    });
    const asRead = async (id: string) => {
      const found = await findOrder(database, { id, email });
      if (!found) throw new Error('no order');
      return found;
    };
    const [first, second] = [await asRead(begun), await asRead(late)];
    const where = { returnPath: '/', publicUrl: running.url };
    expect(await payments.begin(first, where)).toMatchObject({ ok: true });
    expect(opened).toEqual([first.uuid]);
    await device.client.call('deleteSelf');
    expect(await payments.begin(second, where)).toEqual(refused('unknown-order'));
    // It is in the books, under no name.
    expect(await payments.begin(first, where)).toEqual(refused('unknown-order'));
    expect(opened).toEqual([first.uuid]);
  });

  test('an old order is deleted only if nobody paid it, and only when the provider says so', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const [paid, unpaid, declined, unopened] = [
      await order(email),
      await order(email),
      await order(email),
      await order(email),
    ];
    await decide(await openPayment(device, paid), 'paid');
    await openPayment(device, unpaid);
    await decide(await openPayment(device, declined), 'declined');
    running.clock.advance({ hours: 24 * 8 });
    const { database } = running.service;
    const kept = async () => {
      const rows = await database.select().from(orders).where(eq(orders.email, email)).orderBy(orders.id);
      return rows.map(({ id }) => String(id));
    };
    const { now } = running.clock;
    const reconcile = (provider: PaymentProvider) =>
      reconcilePayments({
        database,
        provider,
        settle: async () => refused('payment-open'),
        now,
        logger: pino({ level: 'silent' }),
      });
    const unreachable: PaymentProvider = {
      createPayment: () => Promise.reject(new Error('unreachable')),
      refund: () => Promise.reject(new Error('unreachable')),
      paymentOf: () => Promise.reject(new Error('unreachable')),
    };
    expect(await kept()).toEqual([paid, unpaid, declined, unopened]);
    await reconcile(unreachable);
    expect(await kept()).toEqual([paid, unpaid, declined]);
    running.clock.advance({ hours: 1 });
    await reconcile(createWordgate({ database, now }));

    const latest = await order(email);
    expect(await kept()).toEqual([paid, latest]);
    expect(await confirm(device, paid)).toEqual({ ok: true, data: null });
    expect(await expiry(device)).toBe(running.clock.now().getTime() + 30 * dayMs);
  });

  test('an expired payment can no longer be made', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const id = await order(email);
    const payUrl = await openPayment(device, id);
    running.clock.advance({ minutes: 61 });
    await decide(payUrl, 'paid');
    expect(await paymentAt(payUrl)).toMatchObject({ data: { state: 'expired', decisions: [] } });
    expect(await confirm(device, id)).toMatchObject({ failure: { code: 422 } });
    expect(await openPayment(device, id)).not.toBe(payUrl);
  });

  test('an order that is not there, or another’s, is not found', async () => {
    const other = await payer();
    const device = await signedIn(running, newEmail());
    const body = { payMethod: 'wordgate' } as const;
    const expected = { failure: { code: 404, msg: 'This order does not exist.' } };
    for (const id of [other.id, '1', '0', '-1', '1e3', 'x', '9'.repeat(30), "1' or '1'='1"]) {
      expect(await device.client.call('order', { params: { orderId: id } })).toMatchObject(expected);
      expect(await device.client.call('createPayment', { params: { id }, body })).toMatchObject(expected);
      expect(await confirm(device, id)).toMatchObject(expected);
    }
  });

  test('orders by strangers do not keep an address’s owner from buying', async () => {
    const email = newEmail();
    for (let i = 0; i < 20; i += 1) await order(email);
    const id = await order(email);
    const device = await signedIn(running, email);
    expect(await device.client.call('order', { params: { orderId: id } })).toMatchObject({ ok: true });
  });

  test('an order is titled in the buyer’s language', async () => {
    const email = newEmail();
    const id = await order(email, {}, 'zh-hant');
    const device = await signedIn(running, email);
    expect(await device.client.call('order', { params: { orderId: id } })).toMatchObject({
      data: { title: '家庭版月付（繁）' },
    });
  });

  const consume = (device: TestDevice, key: string, language?: Language) =>
    device.client.call('consumeLicenseKey', { params: { key }, ...(language && { language }) });

  test('a license key extends the plan and makes a payer, however it is typed', async () => {
    const device = await signedIn(running, newEmail());
    expect(await consume(device, ' key-0000 ')).toEqual({ ok: true, data: null });
    const expiredAt = new Date(running.clock.now().getTime() + 10 * dayMs).toISOString();
    expect(await device.client.call('myService')).toMatchObject({
      data: { service: 'Gift', seats: 3, expiredAt },
    });
    expect(await device.client.call('userInfo')).toMatchObject({
      data: { profile: { level: 2, firstOrderDone: true } },
    });
    // The answer may have been lost, or the button pressed twice.
    expect(await consume(device, 'KEY-0000')).toMatchObject({
      failure: {
        code: 422,
        msg: 'You have already used this license key. Its time is part of your plan.',
      },
    });
    const other = await signedIn(running, newEmail());
    expect(await consume(other, 'KEY-0000', 'zh-hans')).toMatchObject({
      failure: { code: 422, msg: '此激活码已被使用，请输入其他激活码。' },
    });
    expect(await consume(device, 'KEY-9999', 'zh-hant')).toMatchObject({
      failure: { code: 404, msg: '此授權碼不存在，請檢查輸入的內容。' },
    });
  });

  test.each([
    ['KEY-0006', '\u201cＫＥＹ\u2013\u200b00\u00ad06\u201d.'],
    ['KEY-0007', 'key\u200e0007'],
  ])('the license key %s is also the one that a mail shows as %j', async (key, typed) => {
    const device = await signedIn(running, newEmail());
    expect(await consume(device, typed)).toEqual({ ok: true, data: null });
    expect(await consume(device, key)).toMatchObject({ failure: { code: 422 } });
  });

  test('a license key that an earlier version has stored is still known', async () => {
    const keyHash = hash('sha256', 'OLD-KEY-1');
    await running.service.database
      .insert(licenseKeys)
      .values({ keyHash, service: 'Gift', days: 1, seats: 1 });
    const device = await signedIn(running, newEmail());
    expect(await consume(device, 'old\u2013key\u20131')).toEqual({ ok: true, data: null });
  });

  test('of many consumptions of a key at once one succeeds', async () => {
    const devices = await Promise.all([newEmail(), newEmail()].map((email) => signedIn(running, email)));
    const results = await Promise.all(
      [...devices, ...devices, ...devices].map((device) => consume(device, 'KEY-0001')),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    const expiries = await Promise.all(devices.map(expiry));
    expect(expiries.filter((time) => time !== undefined)).toEqual([
      running.clock.now().getTime() + 10 * dayMs,
    ]);
  });
});
