import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import type { Language } from '#shared/entities.ts';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '../../../src/service/database/schema/account.ts';
import { servers, traffic } from '../../../src/service/database/schema/gateways.ts';
import type { Seed } from '../../../src/service/seed.ts';
import {
  callNames,
  databaseKindsOfRun,
  fetchEnvelope,
  grantPlan,
  newDirectory,
  newEmail,
  newEnvironment,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';
import { makeMember } from '../group/membership.ts';

const note = { title: 'News', htmlBody: '<p>Hello</p>', clickAction: null, redisplayLockSeconds: 60 };
const seed: Seed = {
  serverGroups: [
    {
      id: 'world',
      name: 'World',
      isTrial: false,
      items: [
        {
          id: 'asia',
          level: 2,
          servers: [
            {
              serverId: 'tokyo',
              name: 'Tokyo',
              protocol: 'anyconnect',
              domain: 'tokyo.example.net',
              port: 4443,
              path: '/sales',
              split: true,
              incoming: true,
              country: 'JP',
              city: '東京',
              load: 0.35,
            },
            { serverId: 'osaka', name: 'Osaka', domain: 'osaka.example.net' },
          ],
        },
        { id: 'europe', level: 1, servers: [] },
      ],
    },
    {
      id: 'trial',
      name: 'Trial',
      isTrial: true,
      items: [{ id: 'any', level: 1, servers: [{ serverId: 'lab', name: 'Lab', domain: '192.0.2.1' }] }],
    },
  ],
  pageNotes: [
    { ...note, id: 'all', pageName: 'vpn-account' },
    { ...note, id: 'hant', pageName: 'vpn-account', language: 'zh-hant' },
    { ...note, id: 'en', pageName: 'vpn-account', language: 'en', clickAction: '/purchase' },
    { ...note, id: 'other', pageName: 'vpn-pay' },
  ],
  translations: { 'zh-hans': { 'login.title': '登录' } },
};

describe.each(databaseKindsOfRun)('calls on %s', (kind) => {
  let running: TestService;
  let device: TestDevice;
  const email = newEmail();
  beforeAll(async () => {
    const environment = await newEnvironment(kind);
    const seedFile = path.join(environment.WAYMAKER_DATA_DIR, 'seed.json');
    await writeFile(seedFile, JSON.stringify(seed));
    running = await startTestService({
      environment: { ...environment, WAYMAKER_SEED_FILE: seedFile, WAYMAKER_TRIAL_HOURS: '24' },
    });
    device = new TestDevice(running);
    await device.signIn(email);
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test('my-service tells a plan that was not bought yet', async () => {
    expect(await device.client.call('myService')).toEqual({
      ok: true,
      data: { serviceId: expect.any(String), expiredAt: null, seats: 0, service: 'Trial' },
    });
  });

  test('a plan that was not bought yet has its name in the caller’s language', async () => {
    const named = async (language: Language) => {
      const result = await device.client.call('myService', { language });
      return result.ok && result.data.service;
    };
    expect(await named('zh-hans')).toBe('试用');
    expect(await named('zh-hant')).toBe('試用');
  });

  test('server groups come in their order, the trial’s with the time it ends', async () => {
    const result = await device.client.call('serverGroups');
    expect(result).toEqual({
      ok: true,
      data: {
        items: [
          { ...seed.serverGroups?.[0], trialExpiredAt: null },
          { ...seed.serverGroups?.[1], trialExpiredAt: '2026-03-02T12:00:00.000Z' },
        ],
      },
    });
  });

  test('the operator moves a server, and writes nothing that an app could not read', async () => {
    const { database } = running.service;
    const write = (change: Partial<typeof servers.$inferInsert>) =>
      database.update(servers).set(change).where(eq(servers.serverId, 'osaka'));
    await write({ country: 'JP', load: 1 });
    const result = await device.client.call('serverGroups');
    expect(result.ok && result.data.items[0]?.items[0]?.servers[1]).toEqual({
      serverId: 'osaka',
      name: 'Osaka',
      domain: 'osaka.example.net',
      country: 'JP',
      load: 1,
    });
    await expect(write({ country: 'jp' })).rejects.toThrow();
    await expect(write({ load: 35 })).rejects.toThrow();
    await expect(write({ city: 'x'.repeat(101) })).rejects.toThrow();
    await write({ country: null, load: null });
  });

  test('a trial that is over is still told, with its time', async () => {
    running.clock.advance({ hours: 25 });
    const result = await device.client.call('serverGroups');
    expect(result.ok && result.data.items[1]?.trialExpiredAt).toBe('2026-03-02T12:00:00.000Z');
  });

  test('a payer’s plan, seats and traffic are a member’s too, and take the place of the trial', async () => {
    const { database } = running.service;
    const [payerEmail, memberEmail] = [newEmail(), newEmail()];
    const [payer, member] = [new TestDevice(running), new TestDevice(running)];
    await payer.signIn(payerEmail);
    await member.signIn(memberEmail);
    await grantPlan(running, payerEmail, { service: 'Yearly', days: 365 });
    const [{ id: payerId } = { id: '' }] = await database
      .select()
      .from(users)
      .where(eq(users.email, payerEmail));
    await makeMember(payer, member, memberEmail);
    const counted = { in: 5_000_000_000, out: 7 };
    const since = running.clock.now();
    await database
      .update(traffic)
      .set({ ...counted, since })
      .where(eq(traffic.userId, payerId));
    const expiredAt = new Date(since.getTime() + 365 * 24 * 3_600_000).toISOString();
    for (const someone of [payer, member]) {
      expect(await someone.client.call('myService')).toMatchObject({
        ok: true,
        data: { service: 'Yearly', seats: 5, expiredAt },
      });
      expect(await someone.client.call('trafficStats')).toEqual({
        ok: true,
        data: { rated: 0, ...counted },
      });
      const groups = await someone.client.call('serverGroups');
      expect(groups.ok && groups.data.items.map(({ id }) => id)).toEqual(['world']);
    }
    expect(await payer.client.call('userInfo')).toMatchObject({
      data: { profile: { level: 2, firstOrderDone: true, seatsUsed: 1 } },
    });
    expect(await member.client.call('userInfo')).toMatchObject({
      data: { email: memberEmail, profile: { level: 3, seatsUsed: 1 } },
    });
  });

  test('new accounts have used no traffic, of the amount that a trial carries', async () => {
    const result = await device.client.call('trafficStats');
    expect(result).toEqual({ ok: true, data: { rated: 20e9, in: 0, out: 0 } });
  });

  test('basic info links to where the service is', async () => {
    const result = await device.client.call('basicInfo');
    expect(result.ok && result.data.links.pay_url).toBe(`${running.url}/pay/order`);
    const consoleRoutes = ['/purchase', '/quick-start'].map((route) => running.url + route);
    expect(result.ok && consoleRoutes).not.toContain(result.ok && result.data.links.purchase_url);
    expect(result.ok && consoleRoutes).not.toContain(result.ok && result.data.links.quick_start_url);
  });

  test.each([
    ['en', ['all', 'en']],
    ['zh-hans', ['all']],
    ['zh-hant', ['all', 'hant']],
  ] as const)('page notes in %s', async (language, ids) => {
    const result = await device.client.call('pageNotes', { params: { pageName: 'vpn-account' }, language });
    expect(result.ok && result.data.items.map(({ id }) => id)).toEqual(ids);
  });

  test('a page that has no notes, and one that does not exist', async () => {
    const empty = await device.client.call('pageNotes', { params: { pageName: 'vpn-welcome' } });
    expect(empty).toEqual({ ok: true, data: { items: [] } });
    const unknown = await device.client.call('pageNotes', { params: { pageName: 'vpn-none' } });
    expect(unknown).toMatchObject({ ok: false, failure: { kind: 'service', code: 404 } });
  });

  test('translations', async () => {
    const translations = (lang: string) => device.client.call('translations', { params: { lang } });
    expect(await translations('zh-hans')).toEqual({ ok: true, data: { 'login.title': '登录' } });
    expect(await translations('en')).toEqual({ ok: true, data: {} });
    expect(await translations('fr')).toMatchObject({ ok: false, failure: { code: 404 } });
  });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const wrongToken = () => basic(`${device.deviceId}:${'x'.repeat(43)}`);

  async function expectNeedsSignIn(name: ApiCallName, authorization: string | undefined) {
    const { method, path: where } = apiCalls[name];
    const headers = {
      'accept-language': 'zh-CN',
      ...(authorization === undefined ? {} : { authorization }),
    };
    const reply = await fetchEnvelope(running.url + where, { method, headers });
    expect(reply).toMatchObject({ status: 401, body: { code: 401, msg: '请先登录。', data: null } });
    expect(reply.headers.get('www-authenticate')).toBeNull();
  }

  test.each(callNames.filter((name) => apiCalls[name].auth))('%s needs sign-in', async (name) => {
    await expectNeedsSignIn(name, undefined);
    await expectNeedsSignIn(name, wrongToken());
  });

  test.each([
    ['no token', () => basic(`${device.deviceId}:`)],
    ['no colon', () => basic(device.deviceId)],
    ['an unknown device', () => basic(`${randomUUID()}:${device.token}`)],
    ['a device id in other letters', () => basic(`${device.deviceId.toUpperCase()}:${device.token}`)],
    ['another scheme', () => `Bearer ${device.token}`],
    ['what is no base64', () => 'Basic ///'],
  ])('%s is no sign-in', (_, authorization) => expectNeedsSignIn('userInfo', authorization()));

  test('a seed is put in an empty database only', async () => {
    const result = await device.client.call('serverGroups');
    const seedFile = path.join(await newDirectory(), 'other.json');
    await writeFile(seedFile, JSON.stringify({ pageNotes: [{ ...note, id: 'x', pageName: 'vpn-pay' }] }));
    if (kind === 'pglite') await running.service.close();
    await using again = await startTestService({
      environment: { ...running.environment, WAYMAKER_SEED_FILE: seedFile },
    });
    const sameDevice = new TestDevice(again, device);
    expect(await sameDevice.client.call('serverGroups')).toEqual(result);
    const notes = await sameDevice.client.call('pageNotes', { params: { pageName: 'vpn-pay' } });
    expect(notes.ok && notes.data.items.map(({ id }) => id)).toEqual(['other']);
  });
});

const tokyo = { serverId: 'tyo', name: 'Tokyo', domain: 'tyo.example.net', country: 'jp' };
const nameless = { serverId: '', name: 'Tokyo', domain: 'tyo.example.net' };
const group = { id: 'g', name: 'G', isTrial: false, items: [{ id: 'i', level: 0, servers: [tokyo] }] };

test.each([
  ['that is none', { serverGroups: [{ id: 'x' }] }],
  ['whose server has a country that no app would show', { serverGroups: [group] }],
  [
    'whose server has no id',
    { serverGroups: [{ ...group, items: [{ id: 'i', level: 0, servers: [nameless] }] }] },
  ],
])('a service with a seed %s does not start', async (_what, odd) => {
  const environment = await newEnvironment('postgresql');
  const seedFile = path.join(environment.WAYMAKER_DATA_DIR, 'seed.json');
  await writeFile(seedFile, JSON.stringify(odd));
  const starting = startTestService({ environment: { ...environment, WAYMAKER_SEED_FILE: seedFile } });
  await expect(starting).rejects.toThrow('seed.json is no seed file');
});
