import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orders, wordgatePayments } from '../../../src/service/database/schema.ts';
import { defaultLimits } from '../../../src/service/limits/limits.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { StoreVisitor } from '../store-visitor.ts';
import {
  newEmail,
  newSeededEnvironment,
  production,
  startTestService,
  type TestService,
} from '../test-service.ts';

const hostile = '"><script>alert(1)</script>';
const seed: Seed = {
  products: [
    {
      id: 'month',
      service: 'Month',
      titles: { en: `One month ${hostile}`, 'zh-hans': '一个月', 'zh-hant': '一個月' },
      days: 30,
      seats: 5,
      price: 1005,
    },
  ],
};
let running: TestService;
let payPage: string;
beforeAll(async () => {
  running = await startTestService({ environment: await newSeededEnvironment('postgresql', seed) });
  payPage = await newPayment();
});
afterAll(() => running[Symbol.asyncDispose]());

async function newPayment(): Promise<string> {
  const [payment] = await running.service.database
    .insert(wordgatePayments)
    .values({
      reference: '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11',
      title: hostile,
      amount: 1005,
      currency: 'USD',
      returnUrl: '/pay/confirming?order_id=1',
      expiresAt: new Date(running.clock.now().getTime() + 3_600_000),
    })
    .returning();
  return `/wordgate/pay/${payment?.id}`;
}

const pages = [
  '/store/purchase',
  '/store/change-service',
  '/store/quick-start',
  '/store/events',
  '/store/privacy',
  'payment',
];
const openPage = (page: string, language?: string) =>
  new StoreVisitor(running.url, language).open(page === 'payment' ? payPage : page);

describe.each(pages)('%s', (page) => {
  test.each([
    ['en', 'en', /[A-Za-z]/],
    ['zh-CN', 'zh-Hans', /[\u4e00-\u9fff]/],
    ['zh-TW', 'zh-Hant', /[\u4e00-\u9fff]/],
  ])('speaks %s', async (accepted, tag, script) => {
    const { status, text, headers } = await openPage(page, accepted);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(`<html lang="${tag}">`);
    expect(/<h1>([^<]+)<\/h1>/.exec(text)?.[1]).toMatch(script);
    expect(text).not.toMatch(/undefined|\[object|\{\w+\}/);
  });

  test('has no scripts, may have none, and is not framed, cached or told to other sites', async () => {
    const { text, headers } = await openPage(page);
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|style=/i);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    expect(policy).not.toContain('unsafe-inline');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

test.each(['/store/purchase', '/store/change-service', '/store/quick-start', 'payment'])(
  '%s says that no money is taken',
  async (page) => {
    expect((await openPage(page)).text).toContain('This is a sandbox: no real money is taken.');
    expect((await openPage(page, 'zh-HK')).text).toContain('這是沙盒環境：不會收取真實費用。');
  },
);

test('the pages have their style and picture', async () => {
  expect((await openPage('/store/style.css')).headers.get('content-type')).toContain('text/css');
  expect((await openPage('/store/mark.svg')).headers.get('content-type')).toBe('image/svg+xml');
});

test('the email of the link is filled in, as text', async () => {
  const where = `/store/purchase?email=${encodeURIComponent(`ada@example.com${hostile}`)}`;
  const { text } = await openPage(where);
  expect(text).toContain('value="ada@example.com&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
});

test('prices are in dollars with two decimals, written as on the other pages', async () => {
  expect((await openPage('/store/purchase')).text).toContain('>$10.05<');
  expect((await openPage('/store/purchase', 'zh-TW')).text).toContain('>US$10.05<');
});

const soldByProvider = {
  WAYMAKER_PAYMENTS: 'provider',
  WAYMAKER_PAYMENT_URL: 'http://127.0.0.1:1',
  WAYMAKER_PAYMENT_SECRET: 'x'.repeat(32),
};

test('where nothing can be bought the store says so, and takes no order', async () => {
  await using closed = await startTestService({
    environment: { ...(await newSeededEnvironment('postgresql', seed)), WAYMAKER_PAYMENTS: 'off' },
  });
  const visitor = new StoreVisitor(closed.url);
  for (const page of ['/store/purchase', '/store/quick-start', '/store/change-service']) {
    const { text } = await visitor.open(page);
    expect(text).toContain('There is nothing to buy at the moment.');
    expect(text).not.toContain('sandbox');
  }
  const { text } = await visitor.open('/store/purchase?email=ada@example.com');
  expect(text).not.toContain('name="_csrf"');
  expect((await visitor.open('/wordgate/pay/5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11')).status).toBe(404);
  expect(await closed.service.database.$count(orders)).toBe(0);
});

test('only a sandbox says that it is one', async () => {
  await using real = await startTestService({
    environment: { ...(await newSeededEnvironment('postgresql', seed)), ...soldByProvider },
  });
  const { text } = await new StoreVisitor(real.url).open('/store/purchase');
  expect(text).toContain('>$10.05<');
  expect(text).not.toContain('sandbox');
  expect((await openPage('/store/purchase')).text).toContain('This is a sandbox');
});

test('forms end at the console, wherever it is', async () => {
  await using elsewhere = await startTestService({
    environment: {
      ...(await newSeededEnvironment('postgresql', seed)),
      ...production,
      ...soldByProvider,
      WAYMAKER_CONSOLE_URL: 'https://console.example.net/',
      WAYMAKER_PUBLIC_URL: 'https://shop.example.net',
    },
  });
  const visitor = new StoreVisitor(elsewhere.url);
  const { headers } = await visitor.open('/store/purchase');
  expect(headers.get('content-security-policy')).toContain("form-action 'self' https://console.example.net;");
  expect(headers.get('set-cookie')).toContain('; Secure');
  const entry = { product: 'month', quantity: '1', email: newEmail() };
  expect(await visitor.submit('/store/purchase', '/store/purchase', entry)).toMatchObject({
    status: 303,
    location: expect.stringMatching(/^https:\/\/console\.example\.net\/pay\/order\?orderId=\d+$/),
  });
  const links = await fetch(`${elsewhere.url}/api/basic-info`);
  expect(await links.json()).toMatchObject({
    data: {
      links: {
        purchase_url: 'https://shop.example.net/store/purchase',
        pay_url: 'https://console.example.net/pay/order',
        device_login: 'https://console.example.net/device-login',
      },
    },
  });
});

describe('a form', () => {
  const entry = () => ({ product: 'month', quantity: '1', email: newEmail() });
  const ordersNow = () => running.service.database.$count(orders);

  test('from another site, without the cookie, does nothing', async () => {
    const before = await ordersNow();
    const { text } = await openPage('/store/purchase');
    const token = /name="_csrf"\s+value="([^"]+)"/.exec(text)?.[1] ?? '';
    const stranger = new StoreVisitor(running.url, 'zh-CN');
    const refused = await stranger.post('/store/purchase', { _csrf: token, ...entry() });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('表单打开时间过长，请返回重试。');
    expect(await ordersNow()).toBe(before);
  });

  test.each([
    ['no token', {}],
    ['a wrong token', { _csrf: 'x'.repeat(50) }],
  ])('with %s does nothing', async (_, fields) => {
    const before = await ordersNow();
    const visitor = new StoreVisitor(running.url);
    await visitor.open('/store/purchase');
    expect((await visitor.post('/store/purchase', { ...entry(), ...fields })).status).toBe(403);
    const payment = await newPayment();
    expect((await visitor.post(payment, { decision: 'paid', ...fields })).status).toBe(403);
    expect((await visitor.open(payment)).text).not.toContain('This payment has been made.');
    expect(await ordersNow()).toBe(before);
  });

  test('its cookie is neither for scripts nor for other sites’ forms', async () => {
    const { headers } = await openPage('/store/purchase');
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
  });

  test.each([
    ['email', { email: 'nobody' }, 'Please enter a valid email address.'],
    ['email', { email: '' }, 'Please enter a valid email address.'],
    ['quantity', { quantity: '0' }, 'Please enter a number from 1 to 12.'],
    ['quantity', { quantity: '13' }, 'Please enter a number from 1 to 12.'],
    ['quantity', { quantity: '1.5' }, 'Please enter a number from 1 to 12.'],
    ['product', { product: 'free' }, 'Please choose a plan.'],
  ])('with a wrong %s says so and keeps what was entered', async (field, fields, message) => {
    const before = await ordersNow();
    const sent = { product: 'month', quantity: '7', email: 'ada@example.com', ...fields };
    const visitor = new StoreVisitor(running.url);
    const { status, text } = await visitor.submit('/store/purchase', '/store/purchase', sent);
    expect(status).toBe(422);
    expect(text).toContain(`id="${field}-error">${message}<`);
    expect(text).toContain('role="alert"');
    if (sent.email) expect(text).toContain(`value="${sent.email}"`);
    expect(await ordersNow()).toBe(before);
  });

  test('of a payment takes one decision, and only a decision', async () => {
    const where = await newPayment();
    const visitor = new StoreVisitor(running.url);
    expect((await visitor.submit(where, where, { decision: 'free' })).status).toBe(400);
    expect((await visitor.submit(where, where, {})).status).toBe(400);
    const { text } = await visitor.open(where);
    const token = /name="_csrf"\s+value="([^"]+)"/.exec(text)?.[1] ?? '';
    const declined = await visitor.post(where, { _csrf: token, decision: 'declined' });
    expect(declined).toMatchObject({ status: 303, location: '/pay/confirming?order_id=1' });
    await visitor.post(where, { _csrf: token, decision: 'paid' });
    expect((await visitor.open(where)).text).toContain('This payment was declined.');
  });

  test.each(['/wordgate/pay/none', '/wordgate/pay/5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11'])(
    'of a payment that is not there is a page that says so: %s',
    async (where) => {
      const { status, text } = await openPage(where);
      expect(status).toBe(404);
      expect(text).toContain('This page does not exist.');
    },
  );

  test('sent too often from one source is refused, with a page, and not for others', async () => {
    const seeded = await newSeededEnvironment('postgresql', seed);
    await using limited = await startTestService({
      environment: { ...seeded, WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
      limits: defaultLimits,
    });
    const stranger = new StoreVisitor(limited.url, 'en', '192.0.2.1');
    const { burst } = defaultLimits.ordersPerSource;
    for (let i = 0; i < burst; i += 1) {
      expect((await stranger.submit('/store/purchase', '/store/purchase', entry())).status).toBe(303);
    }
    const refused = await stranger.submit('/store/purchase', '/store/purchase', entry());
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many orders were placed from your network.');
    const owner = new StoreVisitor(limited.url, 'en', '192.0.2.2');
    expect((await owner.submit('/store/purchase', '/store/purchase', entry())).status).toBe(303);
  });

  test('with anything in it is answered with a page, in which it is text', async () => {
    const visitor = new StoreVisitor(running.url);
    const { text: page } = await visitor.open('/store/purchase');
    const token = /name="_csrf"\s+value="([^"]+)"/.exec(page)?.[1] ?? '';
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(hostile, '\0', '\uD800', 'x'.repeat(3000), '__proto__', '<img src=x onerror=alert(1)>'),
    );
    const fields = fc.dictionary(fc.oneof(fc.constantFrom('product', 'quantity', 'email'), anyText), anyText);
    await fc.assert(
      fc.asyncProperty(fields, fc.constantFrom('/store/purchase', payPage), async (any, where) => {
        const wellFormed = Object.entries(any).map(([name, value]) => [
          name.toWellFormed(),
          value.toWellFormed(),
        ]);
        const reply = await visitor.post(where, { ...Object.fromEntries(wellFormed), _csrf: token });
        expect(reply.status).toBeLessThan(500);
        expect(reply.text).toContain('<!doctype html>');
        expect(reply.text).not.toMatch(/<script|<img src=x/);
      }),
      { numRuns: 150 },
    );
  });

  test('with anything in its address is answered with a page, in which it is text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (any) => {
        const query = new URLSearchParams({ email: any.toWellFormed() + hostile });
        const reply = await openPage(`/store/quick-start?${query}`);
        expect(reply.status).toBe(200);
        expect(reply.text).not.toContain('<script');
      }),
      { numRuns: 50 },
    );
  });
});
