import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEntitlements,
  type Entitlements,
  type GrantSource,
} from '../../../src/service/account/entitlements.ts';
import { users } from '../../../src/service/database/schema/account.ts';
import { orders } from '../../../src/service/database/schema/billing.ts';
import { entitlements as periods, grants } from '../../../src/service/database/schema/entitlements.ts';
import { traffic } from '../../../src/service/database/schema/gateways.ts';
import { ocservPasswordFile } from '../../../src/service/gateways/ocserv-password-file.ts';
import type { Seed } from '../../../src/service/seed.ts';
import {
  grantPlan,
  newDirectory,
  newEmail,
  reviewGateways,
  newSeededEnvironment,
  signedIn,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

const dayMs = 24 * 3_600_000;
const item = (id: string, level: number) => ({
  id,
  level,
  servers: [{ serverId: `${id}-server`, name: id, domain: `${id}.example.net` }],
});
const seed: Seed = {
  serverGroups: [
    { id: 'world', name: 'World', isTrial: false, items: [item('near', 1), item('far', 2)] },
    { id: 'premium', name: 'Premium', isTrial: false, items: [item('fast', 3)] },
    { id: 'taste', name: 'Taste', isTrial: true, items: [item('first', 1)] },
  ],
  plans: [
    { service: 'Small', serverLevel: 1, devices: 2, gigabytes: 1, rate: 1 },
    { service: 'Large', gigabytes: 'unlimited', rate: 5 },
  ],
  licenseKeys: [
    { key: 'SMALL-YEAR', service: 'Small', days: 365, seats: 1 },
    { key: 'LARGE-MONTH', service: 'Large', days: 30, seats: 5 },
  ],
};
const small = { service: 'Small', days: 30, seats: 1 };
const large = { service: 'Large', days: 30, seats: 5 };

describe('entitlements', () => {
  let running: TestService;
  let directory: string;
  let entitlements: Entitlements;
  beforeAll(async () => {
    directory = await newDirectory();
    const file = path.join(directory, '{gateway}.passwd');
    const environment = await newSeededEnvironment('postgresql', seed);
    running = await startTestService({
      environment: { ...environment, WAYMAKER_GATEWAY_PASSWORD_FILE: file },
    });
    entitlements = createEntitlements({ gateways: ocservPasswordFile(file), now: running.clock.now });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  async function account() {
    const email = newEmail();
    const device = await signedIn(running, email);
    const [user] = await running.service.database.select().from(users).where(eq(users.email, email));
    return { email, device, userId: user?.id ?? '' };
  }
  const order = (): GrantSource => `order:${randomUUID()}`;
  const grant = (userId: string, purchase: typeof small, source = order()) =>
    running.service.database.transaction((transaction) =>
      entitlements.grant(transaction, { userId, source, purchase }),
    );
  const revoke = (source: GrantSource, share?: number) =>
    running.service.database.transaction((transaction) =>
      entitlements.revoke(transaction, { source, ...(share !== undefined && { share }) }),
    );
  /** Days from now, and the plan's name and seats. */
  const planOf = async ({ client }: TestDevice) => {
    const result = await client.call('myService');
    if (!result.ok) throw new Error('no service', { cause: result.failure });
    const { expiredAt, service, seats } = result.data;
    const days = expiredAt && (Date.parse(expiredAt) - running.clock.now().getTime()) / dayMs;
    return { days, service, seats };
  };
  /** Server items whose gateways let the device in. */
  const openTo = async ({ deviceId }: TestDevice) => {
    const items = ['near', 'far', 'fast', 'first'];
    const files = await Promise.all(
      items.map((id) => readFile(path.join(directory, `${id}.example.net_443.passwd`), 'utf8')),
    );
    return items.filter((_, index) => files[index]?.includes(deviceId));
  };
  const listedTo = async ({ client }: TestDevice) => {
    const result = await client.call('serverGroups');
    return result.ok ? result.data.items.flatMap(({ items }) => items.map(({ id }) => id)) : result;
  };

  test('a month of a large plan after a year of a small one is not 13 months of the large', async () => {
    const { device } = await account();
    await device.client.call('consumeLicenseKey', { params: { key: 'SMALL-YEAR' } });
    expect(await planOf(device)).toEqual({ days: 365, service: 'Small', seats: 1 });
    await device.client.call('consumeLicenseKey', { params: { key: 'LARGE-MONTH' } });
    expect(await planOf(device)).toEqual({ days: 30 + 365 / 5, service: 'Large', seats: 5 });
  });

  test('the same source grants once, however often and at once it is told', async () => {
    const { device, userId } = await account();
    const source = order();
    const told = await Promise.all(Array.from({ length: 20 }, () => grant(userId, small, source)));
    expect(told.filter(Boolean)).toHaveLength(1);
    expect(await planOf(device)).toMatchObject({ days: 30 });
  });

  test('a refund shortens the plan, and shuts the gateways when nothing is left', async () => {
    const { device, userId } = await account();
    const [first, second] = [order(), order()];
    await grant(userId, large, first);
    await grant(userId, large, second);
    await revoke(second, 0.5);
    expect(await planOf(device)).toMatchObject({ days: 45 });
    await revoke(second);
    await revoke(second);
    expect(await planOf(device)).toMatchObject({ days: 30 });
    expect(await openTo(device)).not.toEqual([]);
    await revoke(first);
    expect(await openTo(device)).toEqual([]);
  });

  test('a dispute that is won gives back what it took, also if it is told of before its order', async () => {
    const { device, userId } = await account();
    const source = order();
    await revoke(source);
    await grant(userId, small, source);
    expect(await planOf(device)).toMatchObject({ days: null });
    await revoke(source, 0);
    expect(await planOf(device)).toMatchObject({ days: 30, service: 'Small' });
  });

  test('there are never fewer seats than members, who use a plan with too few of them up sooner', async () => {
    const { device, userId } = await account();
    const members = [await account(), await account(), await account()];
    const { database } = running.service;
    // As an older database has it, or as it is when they came while a payment was on its way.
    for (const member of members) {
      await database.update(users).set({ level: 3, payerId: userId }).where(eq(users.id, member.userId));
    }
    await grant(userId, small);
    expect(await planOf(device)).toEqual({ days: 10, service: 'Small', seats: 3 });
  });

  test('servers that a plan does not allow are neither listed nor open', async () => {
    const { device, userId } = await account();
    expect(await listedTo(device)).toEqual(['near', 'far', 'fast', 'first']);
    expect(await openTo(device)).toEqual(['first']);
    await grant(userId, small);
    expect(await listedTo(device)).toEqual(['near']);
    expect(await openTo(device)).toEqual(['near', 'first']);
    await grant(userId, large);
    expect(await listedTo(device)).toEqual(['near', 'far', 'fast']);
    expect(await openTo(device)).toEqual(['near', 'far', 'fast', 'first']);
  });

  test('a plan’s limit of devices signs out the one that was not used for longest, and counts no browser', async () => {
    const { email, device: first, userId } = await account();
    await grant(userId, small);
    running.clock.advance({ minutes: 5 });
    const second = await signedIn(running, email);
    const browser = new TestDevice(running);
    const authId = await browser.requestCode(email);
    const authCode = await browser.readCode(email);
    await browser.client.call('auth', { body: { authId, authCode, isDevice: false } });
    expect(await second.client.call('userInfo')).toMatchObject({ ok: true });
    running.clock.advance({ minutes: 5 });
    await first.client.call('userInfo');
    const third = await signedIn(running, email);
    expect(await second.client.call('userInfo')).toMatchObject({ failure: { kind: 'unauthorized' } });
    expect(await openTo(second)).toEqual([]);
    for (const device of [first, third]) {
      expect(await device.client.call('userInfo')).toMatchObject({ ok: true });
      expect(await openTo(device)).toContain('near');
    }
    expect(await openTo(browser)).toEqual([]);
  });

  test('of devices that sign in at once, as many stay as the plan allows', async () => {
    const { email, userId } = await account();
    await grant(userId, small);
    // The first one was not used for longest.
    running.clock.advance({ minutes: 5 });
    const together = Array.from({ length: 4 }, () => new TestDevice(running));
    const codes: [TestDevice, string, string][] = [];
    for (const device of together) {
      const authId = await device.requestCode(email);
      codes.push([device, authId, await device.readCode(email)]);
    }
    await Promise.all(codes.map(([device, authId, code]) => device.verify(authId, code)));
    const answers = await Promise.all(together.map((device) => device.client.call('userInfo')));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(2);
  });

  test('a plan with fewer devices lets those in that signed in last', async () => {
    const { email, device: first, userId } = await account();
    const others: TestDevice[] = [];
    for (let count = 0; count < 2; count += 1) {
      running.clock.advance({ minutes: 2 });
      others.push(await signedIn(running, email));
    }
    await grant(userId, small);
    expect(await openTo(first)).toEqual([]);
    for (const device of others) expect(await openTo(device)).toContain('near');
  });

  test('a plan’s traffic is for a month: used up it shuts the gateways, and then it begins again', async () => {
    const { email, device, userId } = await account();
    const statsOf = async () => (await device.client.call('trafficStats')) as { data: unknown };
    expect((await statsOf()).data).toEqual({ rated: 20e9, in: 0, out: 0 });
    await grantPlan(running, email, { ...small, days: 60 });
    const used = { in: 999_999_999, out: 1, since: running.clock.now() };
    await running.service.database.update(traffic).set(used).where(eq(traffic.userId, userId));
    expect((await statsOf()).data).toEqual({ rated: 1e9, in: 999_999_999, out: 1 });
    await reviewGateways(running);
    await expect.poll(() => openTo(device)).toEqual([]);
    running.clock.advance({ hours: 24 * 30 });
    await reviewGateways(running);
    expect((await statsOf()).data).toEqual({ rated: 1e9, in: 0, out: 0 });
    await expect.poll(() => openTo(device)).toContain('near');
  });

  test.each(['infinity', '20000-01-01'])('a plan that the operator has end at %s runs', async (end) => {
    const { device, userId } = await account();
    await grant(userId, small);
    await running.service.database.execute(
      sql`update entitlements set "to" = ${end}::timestamptz where user_id = ${userId}`,
    );
    await reviewGateways(running);
    expect(await openTo(device)).toEqual(['near', 'first']);
    expect(await device.client.call('myService')).toMatchObject({
      data: { expiredAt: '9999-12-31T23:59:59.999Z', service: 'Small' },
    });
  });

  test('a deleted account leaves what was paid, under a name that leads to nobody', async () => {
    const { email, device, userId } = await account();
    const { database } = running.service;
    const paid = {
      title: 'Large',
      service: 'Large',
      days: 30,
      seats: 5,
      price: 1,
      quantity: 1,
      totalAmount: 1,
    };
    const now = running.clock.now();
    const [row] = await database
      .insert(orders)
      .values([{ ...paid, email, createdAt: now, paidAt: now }])
      .returning();
    const source = `order:${row?.uuid}` as const;
    await grant(userId, large, source);
    await device.client.call('deleteSelf');
    const [kept] = await database
      .select()
      .from(orders)
      .where(eq(orders.uuid, row?.uuid ?? ''));
    expect(kept).toMatchObject({ totalAmount: 1, paidAt: now, email: expect.stringMatching(/^deleted-/) });
    expect(await database.select().from(grants).where(eq(grants.source, source))).toMatchObject([
      { userId: null, service: 'Large' },
    ]);
    expect(await database.$count(periods, eq(periods.userId, userId))).toBe(0);
    await revoke(source);
  });
});
