import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApiBody } from '#shared/api/calls.ts';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '../../../src/service/database/schema/account.ts';
import { orders } from '../../../src/service/database/schema/billing.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { accept, invitationsOf, invite, makeMember, newMember } from './membership.ts';
import { orderAsGuest } from '../buying.ts';
import {
  databaseKindsOfRun,
  newDirectory,
  newEmail,
  reviewGateways,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const group = (id: string, isTrial: boolean) => ({ id, name: id, isTrial, items: [] });
const keys = Array.from({ length: 31 }, (_, i) => `KEY-${i}`);
const titles = { en: 'Month', 'zh-hans': '月', 'zh-hant': '月' };
const seed: Seed = {
  serverGroups: [group('world', false), group('trial', true)],
  products: [{ id: 'month', service: 'Month', titles, days: 30, seats: 3, price: 100 }],
  licenseKeys: keys.map((key) => ({ key, service: 'Gift', days: 10, seats: 2 })),
};
const ownMiniApp: ApiBody<'createApp'> = {
  name: 'Own',
  type: 'browser',
  link: 'https://a.example/',
  icon: '',
  priority: 0,
  requireLabels: [],
};
const forbidden = { ok: false, failure: { kind: 'service', code: 403 } };

describe.each(databaseKindsOfRun)('groups on %s', (kind) => {
  let running: TestService;
  let passwordFile: string;
  const unusedKeys = [...keys];
  beforeAll(async () => {
    passwordFile = path.join(await newDirectory(), 'passwords');
    const environment = await newSeededEnvironment(kind, seed);
    running = await startTestService({
      environment: { ...environment, WAYMAKER_GATEWAY_PASSWORD_FILE: passwordFile },
    });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  /** A new account with a plan of two seats. */
  async function payer() {
    const email = newEmail();
    const device = await signedIn(running, email);
    await device.client.call('consumeLicenseKey', { params: { key: unusedKeys.pop() ?? '' } });
    return { email, device };
  }
  const remove = (device: TestDevice, loginId: string) =>
    device.client.call('removeMember', { params: { loginId } });
  const emailOf = async (device: TestDevice) => {
    const user = await device.client.call('userInfo');
    return user.ok ? user.data.email : undefined;
  };
  const isLetIn = async ({ deviceId }: TestDevice) =>
    (await readFile(passwordFile, 'utf8')).includes(`${deviceId}:`);
  const groupsOf = async (device: TestDevice) => {
    const result = await device.client.call('serverGroups');
    return result.ok ? result.data.items.map(({ id }) => id) : result;
  };

  test('a member shares the payer’s plan, servers and gateways, and counts as a seat', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    const member = await signedIn(running, email);
    expect(await groupsOf(member)).toEqual(['world', 'trial']);
    expect(await invite(owner, email.toUpperCase())).toEqual({ ok: true, data: null });
    const [invitation] = await invitationsOf(member);
    expect(await accept(member, invitation?.id ?? '')).toEqual({ ok: true, data: null });
    expect(await owner.client.call('members')).toEqual({
      ok: true,
      data: { items: [{ loginId: email, loginType: 'email' }] },
    });
    expect(await owner.client.call('userInfo')).toMatchObject({
      data: { profile: { seatsUsed: 1, members: 1 } },
    });
    expect(await member.client.call('userInfo')).toMatchObject({
      data: { email, profile: { level: 3, firstOrderDone: true } },
    });
    expect(await member.client.call('myService')).toEqual(await owner.client.call('myService'));
    expect(await groupsOf(member)).toEqual(['world']);
    expect(await isLetIn(member)).toBe(true);
    running.clock.advance({ hours: 24 * 11 });
    await reviewGateways(running);
    await expect.poll(() => isLetIn(member)).toBe(false);
  });

  test('a person with the longest address there is can be invited and removed like anybody', async () => {
    const { device: owner } = await payer();
    const email = `${'x'.repeat(64)}@${'y'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(57)}.com`;
    expect(email).toHaveLength(254);
    expect(await invite(owner, email)).toEqual({ ok: true, data: null });
    expect(await remove(owner, email)).toEqual({ ok: true, data: null });
  });

  test('a person without an account becomes a member by signing in and accepting', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    await invite(owner, email);
    const member = await signedIn(running, email);
    expect(await member.client.call('userInfo')).toMatchObject({ data: { profile: { level: 1 } } });
    const [invitation] = await invitationsOf(member);
    expect(await accept(member, invitation?.id ?? '')).toMatchObject({ ok: true });
    expect(await member.client.call('userInfo')).toMatchObject({ data: { profile: { level: 3 } } });
    expect(await member.client.call('myService')).toEqual(await owner.client.call('myService'));
  });

  test.each(['is removed', 'leaves'])(
    'a member who %s has what they had before: devices, trial, own apps',
    async (how) => {
      const { device: owner } = await payer();
      const email = newEmail();
      const person = await signedIn(running, email);
      const phone = await signedIn(running, email);
      await person.client.call('createApp', { body: ownMiniApp });
      const names = ['userInfo', 'myService', 'serverGroups', 'groupApps', 'myApps', 'trafficStats'] as const;
      const all = () => Promise.all(names.map((name) => person.client.call(name)));
      const before = await all();
      await makeMember(owner, person, email);
      expect(await person.client.call('userInfo')).toMatchObject({ data: { profile: { level: 3 } } });
      expect(await person.client.call('myApps')).toEqual({ ok: true, data: { items: [] } });
      const out = how === 'leaves' ? person.client.call('leaveGroup') : remove(owner, email.toUpperCase());
      expect(await out).toEqual({ ok: true, data: null });
      expect(await all()).toEqual(before);
      expect(await phone.client.call('devices')).toMatchObject({ data: { items: [{}, {}] } });
      for (const device of [person, phone]) expect(await isLetIn(device)).toBe(true);
      expect(await owner.client.call('members')).toEqual({ ok: true, data: { items: [] } });
      expect(await owner.client.call('userInfo')).toMatchObject({ data: { profile: { seatsUsed: 0 } } });
      running.clock.advance({ hours: 73 });
      await reviewGateways(running);
      const message = 'the trial still ends when it was to end';
      await expect.poll(() => isLetIn(person), { message }).toBe(false);
    },
  );

  test('a member who once had a plan is a payer without one after leaving', async () => {
    const { device: owner } = await payer();
    const { device: other, email } = await payer();
    running.clock.advance({ hours: 24 * 10 + 1 });
    await owner.client.call('consumeLicenseKey', { params: { key: unusedKeys.pop() ?? '' } });
    const before = await other.client.call('myService');
    await makeMember(owner, other, email);
    expect(await isLetIn(other)).toBe(true);
    await other.client.call('leaveGroup');
    expect(await other.client.call('myService')).toEqual(before);
    expect(await other.client.call('userInfo')).toMatchObject({
      data: { profile: { level: 2, firstOrderDone: true } },
    });
    expect(await isLetIn(other)).toBe(false);
  });

  test('a child of an older database, whose payer has no plan, stays one until it leaves', async () => {
    const email = newEmail();
    const { device: owner, email: payerEmail } = await payer();
    const child = await signedIn(running, email);
    const { database } = running.service;
    const [row] = await database.select().from(users).where(eq(users.email, payerEmail));
    await database
      .update(users)
      .set({ level: 3, payerId: row?.id ?? null })
      .where(eq(users.email, email));
    running.clock.advance({ hours: 24 * 11 });
    expect(await child.client.call('userInfo')).toMatchObject({ data: { profile: { level: 3 } } });
    expect(await owner.client.call('members')).toMatchObject({ data: { items: [{ loginId: email }] } });
    expect(await child.client.call('leaveGroup')).toMatchObject({ ok: true });
    expect(await child.client.call('userInfo')).toMatchObject({ data: { profile: { level: 1 } } });
    expect(await child.client.call('leaveGroup')).toMatchObject({ failure: { code: 422 } });
  });

  test('only one’s own members can be removed', async () => {
    const [{ device: owner, email: ownEmail }, { device: other }] = [await payer(), await payer()];
    const { email } = await newMember(running, owner);
    for (const loginId of [email, ownEmail, 'nobody', newEmail()]) {
      expect(await remove(other, loginId)).toMatchObject({ failure: { code: 404 } });
    }
    expect(await owner.client.call('members')).toMatchObject({ data: { items: [{ loginId: email }] } });
  });

  test('a member may not manage, and may not buy', async () => {
    const { device: owner } = await payer();
    const {
      email,
      device: { client },
    } = await newMember(running, owner);
    const body = ownMiniApp;
    const params = { id: '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11' };
    await orderAsGuest(running.url, { productId: 'month', email });
    const own = await client.call('orders');
    const id = own.ok ? (own.data.items[0]?.id ?? '') : '';
    expect(id).not.toBe('');
    const refusals = [
      client.call('members'),
      client.call('addMember', { body: { loginId: newEmail(), loginType: 'email' } }),
      client.call('removeMember', { params: { loginId: email } }),
      client.call('groupApps'),
      client.call('groupApp', { params }),
      client.call('createApp', { body }),
      client.call('editApp', { params, body }),
      client.call('deleteApp', { params }),
      client.call('consumeLicenseKey', { params: { key: unusedKeys[0] ?? '' } }),
      client.call('createPayment', { params: { id }, body: { payMethod: 'wordgate' } }),
      client.call('confirmPayment', { body: { order_id: id } }),
      client.call('createOrder', { body: { productId: 'month', quantity: 1 } }),
      client.call('createHandOver'),
    ];
    for (const refusal of refusals) expect(await refusal).toMatchObject(forbidden);
    expect(await client.call('members', { language: 'zh-hans' })).toMatchObject({
      failure: { msg: '成员无法进行此操作，请联系付费账户。' },
    });
  });

  test('devices are listed, and only one’s own can be revoked', async () => {
    const email = newEmail();
    const phone = await signedIn(running, email);
    running.clock.advance({ minutes: 2 });
    const laptop = await signedIn(running, email);
    expect(await laptop.client.call('devices')).toEqual({
      ok: true,
      data: {
        items: [laptop, phone].map((device) => ({
          deviceId: device.deviceId,
          name: 'A test device',
          lastSeenAt: expect.any(String),
          isCurrent: device === laptop,
        })),
      },
    });
    const stranger = await signedIn(running, newEmail());
    const revoke = (by: TestDevice, deviceId: string) =>
      by.client.call('revokeDevice', { params: { deviceId } });
    expect(await revoke(stranger, phone.deviceId)).toMatchObject({ failure: { code: 404 } });
    expect(await revoke(laptop, 'none')).toMatchObject({ failure: { code: 404 } });
    expect(await isLetIn(phone)).toBe(true);
    expect(await revoke(laptop, phone.deviceId)).toEqual({ ok: true, data: null });
    expect(await isLetIn(phone)).toBe(false);
    expect(await phone.client.call('devices')).toMatchObject({ failure: { kind: 'unauthorized' } });
    expect(await revoke(laptop, phone.deviceId)).toMatchObject({ failure: { code: 404 } });
    expect(await isLetIn(laptop)).toBe(true);
  });

  test('a deleted account leaves nothing, frees its members and can begin again', async () => {
    const { device: owner, email } = await payer();
    const { device: member } = await newMember(running, owner);
    const invited = await signedIn(running, newEmail());
    await invite(owner, (await emailOf(invited)) ?? '');
    await orderAsGuest(running.url, { productId: 'month', email });
    await owner.client.call('createApp', { body: ownMiniApp });
    expect(await owner.client.call('deleteSelf')).toEqual({ ok: true, data: null });
    expect(await isLetIn(owner)).toBe(false);
    expect(await isLetIn(member), 'by the trial of their own').toBe(true);
    expect(await invitationsOf(invited)).toEqual([]);
    const { database } = running.service;
    expect(await database.$count(users, eq(users.email, email))).toBe(0);
    expect(await database.$count(orders, eq(orders.email, email))).toBe(0);
    expect(await member.client.call('userInfo')).toMatchObject({ data: { profile: { level: 1 } } });
    expect(await member.client.call('myService')).toMatchObject({ data: { expiredAt: null } });
    expect(await member.client.call('myApps')).toEqual({ ok: true, data: { items: [] } });
    expect(await owner.client.call('userInfo')).toMatchObject({ failure: { kind: 'unauthorized' } });
    const anew = await signedIn(running, email);
    expect(await anew.client.call('userInfo')).toMatchObject({
      data: { email, profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } },
    });
    expect(await anew.client.call('orders')).toEqual({ ok: true, data: { items: [] } });
    expect(await isLetIn(anew), 'a trial is given once').toBe(false);
  });

  test('a member who deletes the account frees a seat', async () => {
    const { device: owner } = await payer();
    const { device: member } = await newMember(running, owner);
    await member.client.call('deleteSelf');
    expect(await owner.client.call('members')).toEqual({ ok: true, data: { items: [] } });
    expect(await owner.client.call('myService')).toMatchObject({ data: { service: 'Gift' } });
  });
});
