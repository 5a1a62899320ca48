import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orders, users } from '../../../src/service/database/schema.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { StoreVisitor } from '../store-visitor.ts';
import {
  databaseKinds,
  newDirectory,
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const group = (id: string, isTrial: boolean) => ({ id, name: id, isTrial, items: [] });
const keys = Array.from({ length: 20 }, (_, i) => `KEY-${i}`);
const titles = { en: 'Month', 'zh-hans': '月', 'zh-hant': '月' };
const seed: Seed = {
  serverGroups: [group('world', false), group('trial', true)],
  products: [{ id: 'month', service: 'Month', titles, days: 30, seats: 3, price: 100 }],
  licenseKeys: keys.map((key) => ({ key, service: 'Gift', days: 10, seats: 2 })),
};
const forbidden = { ok: false, failure: { kind: 'service', code: 403 } };

describe.each(databaseKinds)('groups on %s', (kind) => {
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
  const add = (device: TestDevice, loginId: string) =>
    device.client.call('addMember', { body: { loginId, loginType: 'email' } });
  const remove = (device: TestDevice, loginId: string) =>
    device.client.call('removeMember', { params: { loginId } });
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
    expect(await add(owner, email.toUpperCase())).toEqual({ ok: true, data: null });
    expect(await owner.client.call('members')).toEqual({
      ok: true,
      data: { items: [{ loginId: email, loginType: 'email' }] },
    });
    expect(await owner.client.call('userInfo')).toMatchObject({ data: { profile: { seatsUsed: 1 } } });
    expect(await member.client.call('userInfo')).toMatchObject({
      data: { email, profile: { level: 3, firstOrderDone: true } },
    });
    expect(await member.client.call('myService')).toEqual(await owner.client.call('myService'));
    expect(await groupsOf(member)).toEqual(['world']);
    expect(await isLetIn(member)).toBe(true);
    running.clock.advance({ hours: 24 * 11 });
    await signedIn(running, newEmail());
    expect(await isLetIn(member)).toBe(false);
  });

  test('who has no account yet becomes a member at the first sign-in', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    await add(owner, email);
    const member = await signedIn(running, email);
    expect(await member.client.call('userInfo')).toMatchObject({ data: { profile: { level: 3 } } });
    expect(await member.client.call('myService')).toEqual(await owner.client.call('myService'));
  });

  test('a trial has a seat as well, and its end is the member’s', async () => {
    const owner = await signedIn(running, newEmail());
    const email = newEmail();
    expect(await add(owner, email)).toMatchObject({ ok: true });
    const member = await signedIn(running, email);
    expect(await member.client.call('serverGroups')).toEqual(await owner.client.call('serverGroups'));
    expect(await isLetIn(member)).toBe(true);
  });

  test('who cannot be added, and why', async () => {
    const { device: owner, email: ownEmail } = await payer();
    const [first, second] = [newEmail(), newEmail()];
    await add(owner, first);
    const { email: otherPayer } = await payer();
    const trial = newEmail();
    const trialOwner = await signedIn(running, trial);
    await add(trialOwner, newEmail());
    const because = async (loginId: string, msg: string) =>
      expect(await add(owner, loginId)).toMatchObject({ failure: { code: 422, msg } });
    await because('nobody', 'Please enter a valid email address.');
    await because(ownEmail, 'You cannot add yourself as a member.');
    await because(first, 'This person is already a member of a group.');
    await because(otherPayer, 'This person has a plan or members of their own.');
    await because(trial, 'This person has a plan or members of their own.');
    await add(owner, second);
    await because(newEmail(), 'All seats of your plan are taken.');
    expect(await owner.client.call('members')).toMatchObject({
      data: { items: [first, second].toSorted().map((loginId) => ({ loginId })) },
    });
    const { device: other } = await payer();
    expect(await add(other, first)).toMatchObject({ failure: { code: 422 } });
  });

  test('adding more than fit, all at once, fills the seats', async () => {
    const { device: owner } = await payer();
    const results = await Promise.all(Array.from({ length: 6 }, () => add(owner, newEmail())));
    expect(results.filter(({ ok }) => ok)).toHaveLength(2);
    expect(await owner.client.call('userInfo')).toMatchObject({ data: { profile: { seatsUsed: 2 } } });
  });

  test('two who add each other at once do not both become members', async () => {
    const emails = [newEmail(), newEmail()] as const;
    const one = await signedIn(running, emails[0]);
    const two = await signedIn(running, emails[1]);
    const results = await Promise.all([add(one, emails[1]), add(two, emails[0])]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('a removed member has nothing and is signed out', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    const member = await signedIn(running, email);
    await add(owner, email);
    expect(await remove(owner, email.toUpperCase())).toEqual({ ok: true, data: null });
    expect(await isLetIn(member)).toBe(false);
    expect(await member.client.call('myService')).toMatchObject({ failure: { kind: 'unauthorized' } });
    const again = await signedIn(running, email);
    expect(await again.client.call('userInfo')).toMatchObject({ data: { profile: { level: 1 } } });
    expect(await again.client.call('myService')).toMatchObject({ data: { expiredAt: null } });
    expect(await groupsOf(again)).toEqual(['world']);
    expect(await isLetIn(again)).toBe(false);
    expect(await owner.client.call('userInfo')).toMatchObject({ data: { profile: { seatsUsed: 0 } } });
  });

  test('only one’s own members can be removed', async () => {
    const [{ device: owner, email: ownEmail }, { device: other }] = [await payer(), await payer()];
    const email = newEmail();
    await add(owner, email);
    for (const loginId of [email, ownEmail, 'nobody', newEmail()]) {
      expect(await remove(other, loginId)).toMatchObject({ failure: { code: 404 } });
    }
    expect(await owner.client.call('members')).toMatchObject({ data: { items: [{ loginId: email }] } });
  });

  test('a member may not manage, and may not buy', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    await add(owner, email);
    const { client } = await signedIn(running, email);
    const app = { name: 'x', type: 'browser', link: 'https://example.com', icon: '', priority: 0 } as const;
    const body = { ...app, requireLabels: [] };
    const params = { id: '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11' };
    const visitor = new StoreVisitor(running.url);
    const entry = { product: 'month', quantity: '1', email };
    await visitor.submit('/store/purchase', '/store/purchase', entry);
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
    ];
    for (const refusal of refusals) expect(await refusal).toMatchObject(forbidden);
    expect(await client.call('members', { language: 'zh-hans' })).toMatchObject({
      failure: { msg: '成员无法进行此操作，请联系付费账户。' },
    });
  });

  test('devices are listed; one’s own can be revoked, others’ cannot', async () => {
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

  test('a deleted account leaves nothing, frees its members and can begin anew', async () => {
    const { device: owner, email } = await payer();
    const memberEmail = newEmail();
    const member = await signedIn(running, memberEmail);
    await add(owner, memberEmail);
    const entry = { product: 'month', quantity: '1', email };
    await new StoreVisitor(running.url).submit('/store/purchase', '/store/purchase', entry);
    const body = { name: 'x', type: 'browser', link: 'https://a.example', icon: '', priority: 0 } as const;
    await owner.client.call('createApp', { body: { ...body, requireLabels: [] } });
    expect(await owner.client.call('deleteSelf')).toEqual({ ok: true, data: null });
    expect(await isLetIn(owner)).toBe(false);
    expect(await isLetIn(member)).toBe(false);
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
    expect(await isLetIn(anew)).toBe(true);
  });

  test('a member who deletes the account frees a seat', async () => {
    const { device: owner } = await payer();
    const email = newEmail();
    await add(owner, email);
    const member = await signedIn(running, email);
    await member.client.call('deleteSelf');
    expect(await owner.client.call('members')).toEqual({ ok: true, data: { items: [] } });
    expect(await owner.client.call('myService')).toMatchObject({ data: { service: 'Gift' } });
  });
});
