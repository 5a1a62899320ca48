import { apiPath, type ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orders } from '../../../src/service/database/schema/billing.ts';
import { defaultLimits } from '../../../src/service/limits/limits.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { guest, orderAsGuest } from '../buying.ts';
import {
  newEmail,
  newSeededEnvironment,
  production,
  signedIn,
  startTestService,
  type TestService,
} from '../test-service.ts';

const titles = { en: 'One month', 'zh-hans': '一个月', 'zh-hant': '一個月' };
const seed: Seed = {
  products: [{ id: 'month', service: 'Month', titles, days: 30, seats: 5, price: 1005 }],
};
const soldByProvider = {
  WAYMAKER_PAYMENTS: 'provider',
  WAYMAKER_PAYMENT_URL: 'http://127.0.0.1:1',
  WAYMAKER_PAYMENT_SECRET: 'x'.repeat(32),
};
let running: TestService;
beforeAll(async () => {
  running = await startTestService({ environment: await newSeededEnvironment('postgresql', seed) });
});
afterAll(() => running[Symbol.asyncDispose]());

const ordersNow = () => running.service.database.$count(orders);

test.each(['en', 'zh-hans', 'zh-hant'] as const)('what is sold is said in %s', async (language) => {
  expect(await guest(running.url).call('offers', { language })).toEqual({
    ok: true,
    data: {
      items: [{ id: 'month', title: titles[language], days: 30, seats: 5, price: 1005 }],
      isSandbox: true,
    },
  });
});

test('where nothing can be bought nothing is offered, and no order taken', async () => {
  await using closed = await startTestService({
    environment: { ...(await newSeededEnvironment('postgresql', seed)), WAYMAKER_PAYMENTS: 'off' },
  });
  const { client } = await signedIn(closed, newEmail());
  expect(await client.call('offers')).toEqual({ ok: true, data: { items: [], isSandbox: false } });
  const purchase = { productId: 'month', quantity: 1 };
  const refusal = { failure: { code: 422, msg: 'Nothing can be bought here. Please use a license key.' } };
  expect(await client.call('createOrder', { body: purchase })).toMatchObject(refusal);
  const body = { ...purchase, email: newEmail() };
  expect(await guest(closed.url).call('createGuestOrder', { body })).toMatchObject(refusal);
  const id = '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11';
  expect(await client.call('sandboxPayment', { params: { id } })).toMatchObject({ failure: { code: 404 } });
  expect(await closed.service.database.$count(orders)).toBe(0);
});

test('only a sandbox says that it is one', async () => {
  await using real = await startTestService({
    environment: { ...(await newSeededEnvironment('postgresql', seed)), ...soldByProvider },
  });
  expect(await guest(real.url).call('offers')).toMatchObject({
    data: { items: [{ price: 1005 }], isSandbox: false },
  });
});

test('a buyer who is signed in orders for their account', async () => {
  const email = newEmail();
  const { client } = await signedIn(running, email);
  const body = { productId: 'month', quantity: 2 };
  const placed = await client.call('createOrder', { body, language: 'zh-hant' });
  const orderId = placed.ok ? placed.data.orderId : '';
  expect(await client.call('order', { params: { orderId } })).toMatchObject({
    data: { title: '一個月', price: 1005, quantity: 2, totalAmount: 2010, isPaid: false },
  });
});

test('a buyer who is not signed in orders for an email address, in whatever case', async () => {
  const email = newEmail();
  const orderId = await orderAsGuest(running.url, { productId: 'month', email: ` ${email.toUpperCase()}` });
  const { client } = await signedIn(running, email);
  expect(await client.call('order', { params: { orderId } })).toMatchObject({ ok: true });
});

describe('an order', () => {
  const entry = { productId: 'month', quantity: 1, email: 'ada@example.com' };

  test.each([
    ['email', { email: 'nobody' }, 'Please enter a valid email address.'],
    ['email', { email: '' }, 'Please enter a valid email address.'],
    ['product', { productId: 'free' }, 'This plan is no longer sold. Please choose another.'],
    ['quantity', { quantity: 0 }, 'The request has missing or wrong fields.'],
    ['quantity', { quantity: 13 }, 'The request has missing or wrong fields.'],
    ['quantity', { quantity: 1.5 }, 'The request has missing or wrong fields.'],
  ])('with a wrong %s is refused, and why', async (_, wrong, msg) => {
    const before = await ordersNow();
    const body = { ...entry, ...wrong };
    expect(await guest(running.url).call('createGuestOrder', { body })).toMatchObject({
      failure: { code: 422, msg },
    });
    expect(await ordersNow()).toBe(before);
  });

  test('too many from one source are refused, and not from others', async () => {
    const seeded = await newSeededEnvironment('postgresql', seed);
    await using limited = await startTestService({
      environment: { ...seeded, WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
      limits: defaultLimits,
    });
    const from = async (address: string) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
      const body = JSON.stringify({ ...entry, email: newEmail() });
      return (await fetch(`${limited.url}/api/store/orders`, { method: 'POST', headers, body })).status;
    };
    const { burst } = defaultLimits.ordersPerSource;
    for (let i = 0; i < burst; i += 1) expect(await from('192.0.2.1')).toBe(200);
    expect(await from('192.0.2.1')).toBe(429);
    expect(await from('192.0.2.2')).toBe(200);
  });
});

/** Other sites' forms send what is no JSON, and their scripts are not allowed to. */
describe('another site changes nothing by a browser of ours', () => {
  const changing: [ApiCallName, object][] = [
    ['createGuestOrder', { productId: 'month', quantity: 1, email: 'ada@example.com' }],
    ['openStoreVisit', { code: 'x'.repeat(43) }],
    ['createVisitOrder', { productId: 'month', quantity: 1, visit: 'x'.repeat(43) }],
    ['confirmVisitOrder', { visit: 'x'.repeat(43), order_id: '1' }],
    ['decideSandboxPayment', { decision: 'paid' }],
  ];

  test.each(changing)('%s', async (name, body) => {
    const call: ApiCall = apiCalls[name];
    const url = running.url + apiPath(call, { id: '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11' });
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      const headers = { origin: 'https://evil.example', 'content-type': type };
      const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(reply.status, type).toBe(415);
    }
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('the store is where the console is, and whoever comes to its old address is sent there', async () => {
  const consoleUrl = 'https://console.example.net';
  await using elsewhere = await startTestService({
    environment: {
      ...(await newSeededEnvironment('postgresql', seed)),
      ...production,
      ...soldByProvider,
      WAYMAKER_CONSOLE_URL: `${consoleUrl}/`,
      WAYMAKER_PUBLIC_URL: 'https://shop.example.net',
    },
  });
  expect(await guest(elsewhere.url).call('basicInfo')).toMatchObject({
    data: {
      links: {
        purchase_url: `${consoleUrl}/store/purchase`,
        quick_start_url: `${consoleUrl}/store/quick-start`,
        change_service_url: `${consoleUrl}/store/change-service`,
        seller_event_url: `${consoleUrl}/store/events`,
        user_privacy_url: `${consoleUrl}/store/privacy`,
        pay_url: `${consoleUrl}/pay/order`,
      },
    },
  });
  const ask = (host: string, url: string) =>
    elsewhere.service.http.inject({ url, headers: { host, accept: 'text/html' } });
  const moved = await ask('shop.example.net', '/store/purchase?email=ada%40example.com');
  expect(moved.statusCode).toBe(302);
  expect(moved.headers['location']).toBe(`${consoleUrl}/store/purchase?email=ada%40example.com`);
  expect((await ask('console.example.net', '/store/purchase')).headers['location']).toBeUndefined();
});
