import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiCalls } from '#shared/api/calls.ts';
import { devices, users } from '../../../src/service/database/schema/account.ts';
import { orders, storeVisits } from '../../../src/service/database/schema/billing.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { decide, guest, orderAsGuest } from '../buying.ts';
import { makeMember, newMember, newPayer } from '../group/membership.ts';
import {
  callNames,
  fetchEnvelope,
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const titles = { en: 'Month', 'zh-hans': '月', 'zh-hant': '月' };
const seed: Seed = {
  products: [{ id: 'month', service: 'Month', titles, days: 30, seats: 5, price: 999 }],
};
const purchase = { productId: 'month', quantity: 1 };
const linkOver = {
  failure: {
    code: 404,
    msg: 'This link has been used or has expired. Open the purchase page from the app again.',
  },
};
const visitOver = {
  failure: { code: 404, msg: expect.stringMatching(/^This page has expired/) },
};

/** What an app hands over to a browser that nobody is signed in to. */
describe('a store visit', () => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ environment: await newSeededEnvironment('postgresql', seed) });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const browser = () => guest(running.url);
  async function handOver(device: TestDevice): Promise<string> {
    const made = await device.client.call('createHandOver');
    if (!made.ok) throw new Error('no code', { cause: made.failure });
    return made.data.code;
  }
  const open = (code: string) => browser().call('openStoreVisit', { body: { code } });
  async function visitOf(device: TestDevice): Promise<string> {
    const opened = await open(await handOver(device));
    if (!opened.ok) throw new Error('no visit', { cause: opened.failure });
    return opened.data.visit;
  }
  const buy = (visit: string) => browser().call('createVisitOrder', { body: { ...purchase, visit } });

  test('says for whom it buys, buys, and confirms', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const opened = await open(await handOver(device));
    expect(opened).toMatchObject({ data: { email } });
    const visit = opened.ok ? opened.data.visit : '';
    const bought = await buy(visit);
    const { orderId, payUrl } = bought.ok ? bought.data : { orderId: '', payUrl: '' };
    const confirm = () => browser().call('confirmVisitOrder', { body: { visit, order_id: orderId } });
    expect(await confirm()).toMatchObject({ failure: { code: 422 } });
    await decide(payUrl, 'paid');
    expect(await confirm()).toEqual({ ok: true, data: null });
    expect(await device.client.call('myService')).toMatchObject({ data: { service: 'Month', seats: 5 } });
  });

  test('is opened once, also when asked at once by many', async () => {
    const code = await handOver(await signedIn(running, newEmail()));
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(code)));
    expect(opened.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await open(code)).toMatchObject(linkOver);
  });

  test('is opened within a minute, and lasts an hour', async () => {
    const device = await signedIn(running, newEmail());
    const [late, inTime] = [await handOver(device), await handOver(device)];
    running.clock.advance({ seconds: 59 });
    const opened = await open(inTime);
    const visit = opened.ok ? opened.data.visit : '';
    running.clock.advance({ seconds: 1 });
    expect(await open(late)).toMatchObject(linkOver);
    running.clock.advance({ minutes: 58 });
    expect(await buy(visit)).toMatchObject({ ok: true });
    running.clock.advance({ minutes: 2 });
    expect(await buy(visit)).toMatchObject(visitOver);
    const body = { visit, order_id: '1' };
    expect(await browser().call('confirmVisitOrder', { body })).toMatchObject(visitOver);
    await handOver(device);
    expect(await running.service.database.$count(storeVisits)).toBe(1);
  });

  test('ends when its device is signed out, and so does a link', async () => {
    const email = newEmail();
    const [device, other] = [await signedIn(running, email), await signedIn(running, email)];
    const [visit, code] = [await visitOf(device), await handOver(device)];
    const kept = await visitOf(other);
    await other.client.call('revokeDevice', { params: { deviceId: device.deviceId } });
    expect(await buy(visit)).toMatchObject(visitOver);
    expect(await open(code)).toMatchObject(linkOver);
    expect(await buy(kept)).toMatchObject({ ok: true });
    await other.client.call('deleteSelf');
    expect(await buy(kept)).toMatchObject(visitOver);
  });

  test('of two accounts on one device buys for the one that asked', async () => {
    const device = await signedIn(running, newEmail());
    const visit = await visitOf(device);
    const email = newEmail();
    await device.signIn(email);
    const opened = await open(await handOver(device));
    expect(opened).toMatchObject({ data: { email } });
    const { database } = running.service;
    await buy(visit);
    expect(await database.$count(orders, eq(orders.email, email))).toBe(0);
  });

  test('says how many members would share what is bought', async () => {
    const { device: payer } = await newPayer(running);
    expect(await open(await handOver(payer))).toMatchObject({ data: { members: 0 } });
    await newMember(running, payer);
    expect(await open(await handOver(payer))).toMatchObject({ data: { members: 1 } });
  });

  test('is nothing that a member can have, nor use after becoming one', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const visit = await visitOf(device);
    const { device: payer } = await newPayer(running);
    await makeMember(payer, device, email);
    expect(await device.client.call('createHandOver')).toMatchObject({ failure: { code: 403 } });
    expect(await buy(visit)).toMatchObject({ failure: { code: 403 } });
  });

  test('confirms no order of others', async () => {
    const visit = await visitOf(await signedIn(running, newEmail()));
    const order_id = await orderAsGuest(running.url, { productId: 'month', email: newEmail() });
    expect(await browser().call('confirmVisitOrder', { body: { visit, order_id } })).toMatchObject({
      failure: { code: 404, msg: 'This order does not exist.' },
    });
  });

  test('each secret is good for its own call alone, and none is stored', async () => {
    const device = await signedIn(running, newEmail());
    const code = await handOver(device);
    expect(await buy(code)).toMatchObject(visitOver);
    const opened = await open(code);
    const visit = opened.ok ? opened.data.visit : '';
    expect(await open(visit)).toMatchObject(linkOver);
    const token = device.token ?? '';
    expect(await buy(token)).toMatchObject(visitOver);
    expect(await open(token)).toMatchObject(linkOver);
    const signedInCalls = callNames.filter((name) => apiCalls[name].auth && apiCalls[name].method === 'GET');
    for (const secret of [code, visit]) {
      for (const name of signedInCalls) {
        const authorization = `Basic ${btoa(`${device.deviceId}:${secret}`)}`;
        const path = apiCalls[name].path.replaceAll(/\{\w+\}/g, '1');
        const { status } = await fetchEnvelope(running.url + path, { headers: { authorization } });
        expect(status, name).toBe(401);
      }
    }
    const { database } = running.service;
    const stored = [
      await database.select().from(storeVisits),
      await database.select().from(devices),
      await database.select().from(users),
    ];
    for (const secret of [code, visit]) expect(JSON.stringify(stored)).not.toContain(secret);
  });
});
