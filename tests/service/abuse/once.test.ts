import { randomUUID } from 'node:crypto';
import { apiPath, type ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { devices, users } from '../../../src/service/database/schema/account.ts';
import { licenseKeys } from '../../../src/service/database/schema/billing.ts';
import { entitlements, grants } from '../../../src/service/database/schema/entitlements.ts';
import { miniApps, invitations } from '../../../src/service/database/schema/group.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { startProgram } from '../service-process.ts';
import {
  newEmail,
  newEnvironment,
  startTestService,
  TestDevice,
  type DatabaseKind,
  type TestService,
} from '../test-service.ts';
import { appDraft, newInvitation, newPerson, type Level, type Person } from './people.ts';

/** What may happen once, tried by two hundred requests at once, by one process and by two that share a database. */

const atOnce = 200;
/** In `npm test`, license keys, which people pass on, are asked for by two hundred at once nevertheless. */
const manyAtOnce = isExhaustive ? atOnce : 30;
const twoProcesses = { name: 'PostgreSQL and two processes', kind: 'postgresql', processes: 2 } as const;
const hosts = casesOf<{ name: string; kind: DatabaseKind; processes: number }>({
  // Whatever keeps two processes apart keeps requests to one apart.
  usual: [twoProcesses],
  all: [
    { name: 'PGlite', kind: 'pglite', processes: 1 },
    { name: 'PostgreSQL', kind: 'postgresql', processes: 1 },
    twoProcesses,
  ],
});

interface Attempt {
  name: ApiCallName;
  by?: Person | undefined;
  params?: Record<string, string | undefined>;
  body?: object | undefined;
}

const times = <Item>(count: number, of: (i: number) => Item) =>
  Array.from({ length: count }, (_, i) => of(i));

describe.each(hosts)('on $name', ({ kind, processes }) => {
  const stack = new AsyncDisposableStack();
  let running: TestService;
  const urls: string[] = [];
  const now = () => new Date();
  beforeAll(async () => {
    const environment = { ...(await newEnvironment(kind)), WAYMAKER_LIMIT_FACTOR: '10000' };
    running = stack.use(await startTestService({ environment, clock: { now, advance: () => undefined } }));
    urls.push(running.url);
    if (processes === 1) return;
    urls.push(stack.use(await startProgram('index.ts', environment)).url);
  });
  afterAll(() => stack.disposeAsync());

  const database = () => running.service.database;
  const person = (level: Level) => newPerson(database(), level, now());

  /** Sends them at once, by turns to each process; none may fail. Says how many succeeded. */
  async function successesOf(attempts: readonly Attempt[]): Promise<number> {
    const statuses = await Promise.all(
      attempts.map(async ({ name, by, params = {}, body = {} }, i) => {
        const call: ApiCall = apiCalls[name];
        const reply = await fetch(
          (urls[i % urls.length] ?? '') + apiPath(call, params as Record<string, string>),
          {
            method: call.method,
            headers: {
              'content-type': 'application/json',
              ...(by && { authorization: `Basic ${btoa(`${by.deviceId}:${by.token}`)}` }),
            },
            ...(call.method !== 'GET' && { body: JSON.stringify(body) }),
          },
        );
        const text = await reply.text();
        expect(reply.status, text).toBeLessThan(500);
        return reply.status;
      }),
    );
    return statuses.filter((status) => status === 200).length;
  }

  test('a code signs in once', async () => {
    const { deviceId, ...device } = await newCode(newEmail());
    const body = { ...device, deviceId };
    expect(await successesOf(times(manyAtOnce, () => ({ name: 'auth', body })))).toBe(1);
    expect(await database().$count(devices, eq(devices.deviceId, deviceId))).toBe(1);
  });

  /** A code that was mailed, as it is used. */
  async function newCode(email: string) {
    const device = new TestDevice(running);
    const authId = await device.requestCode(email);
    const authCode = await device.readCode(email);
    return { authId, authCode, isDevice: true, deviceId: device.deviceId, deviceName: 'A device' };
  }

  test('a license key is consumed once, whoever has it', async () => {
    const people = [await person(1), await person(1), await person(2), await person(2)];
    const params = { key: people[0]?.licenseKey };
    const ofPeople = inArray(
      grants.userId,
      people.map(({ userId }) => userId),
    );
    const before = await database().$count(grants, ofPeople);
    const attempts = times(atOnce, (i) => ({
      name: 'consumeLicenseKey' as const,
      params,
      by: people[i % people.length],
    }));
    expect(await successesOf(attempts)).toBe(1);
    expect((await database().$count(grants, ofPeople)) - before).toBe(1);
    expect(await database().$count(licenseKeys, isNotNull(licenseKeys.usedAt))).toBe(1);
  });

  test('an order is settled once, and all who confirm it are told that it is paid', async () => {
    const by = await person(1);
    const body = { order_id: by.order.id };
    const attempts = times(manyAtOnce, () => ({ name: 'confirmPayment' as const, by, body }));
    expect(await successesOf(attempts)).toBe(manyAtOnce);
    expect(await database().$count(grants, eq(grants.userId, by.userId))).toBe(1);
    const [period] = await database().select().from(entitlements).where(eq(entitlements.userId, by.userId));
    expect(period && period.to.getTime() - period.from.getTime()).toBe(30 * 24 * 3_600_000);
  });

  test('a person becomes a member once, of one of several groups', async () => {
    const by = await person(1);
    const ids = [by.invitationId];
    for (const payer of [await person(2), await person(2)]) {
      ids.push(await newInvitation(database(), payer.userId, by.email, now()));
    }
    const attempts = times(manyAtOnce, (i) => ({
      name: 'acceptInvitation' as const,
      by,
      params: { id: ids[i % ids.length] },
    }));
    expect(await successesOf(attempts)).toBe(1);
    const accepted = and(eq(invitations.email, by.email), eq(invitations.state, 'accepted'));
    expect(await database().$count(invitations, accepted)).toBe(1);
  });

  test('an invitation that is accepted and declined at once is one of both', async () => {
    const by = await person(1);
    const params = { id: by.invitationId };
    const attempts = times(manyAtOnce, (i) => ({
      name: i % 2 ? ('acceptInvitation' as const) : ('declineInvitation' as const),
      by,
      params,
    }));
    expect(await successesOf(attempts)).toBe(1);
    const [self] = await database().select().from(users).where(eq(users.id, by.userId));
    const isTheirs = eq(invitations.id, by.invitationId);
    const [invitation] = await database().select().from(invitations).where(isTheirs);
    expect(invitation?.state).toBe(self?.level === 3 ? 'accepted' : 'declined');
  });

  test('a group gets as many members as it has seats', async () => {
    const payer = await person(2);
    const guests = await Promise.all(times(10, () => person(1)));
    const ids = await Promise.all(
      guests.map(({ email }) => newInvitation(database(), payer.userId, email, now())),
    );
    const attempts = times(manyAtOnce, (i) => ({
      name: 'acceptInvitation' as const,
      by: guests[i % guests.length],
      params: { id: ids[i % ids.length] },
    }));
    const { seatsLeft } = await seatsOf(payer);
    expect(await successesOf(attempts)).toBe(seatsLeft);
    expect(await seatsOf(payer)).toMatchObject({ seatsLeft: 0 });
  });

  /** How many of a payer's seats nobody sits on. */
  async function seatsOf({ userId }: Person): Promise<{ seatsLeft: number }> {
    const [period] = await database().select().from(entitlements).where(eq(entitlements.userId, userId));
    return { seatsLeft: (period?.seats ?? 0) - (await database().$count(users, eq(users.payerId, userId))) };
  }

  test('as many are invited as there are seats', async () => {
    const by = await person(2);
    const attempts = times(manyAtOnce, (i) => ({
      name: 'addMember' as const,
      by,
      body: { loginId: `guest${i}.${by.userId}@example.com`, loginType: 'email' },
    }));
    const { seatsLeft } = await seatsOf(by);
    expect(await successesOf(attempts)).toBe(seatsLeft);
    const open = and(eq(invitations.payerId, by.userId), eq(invitations.state, 'open'));
    expect(await database().$count(invitations, open)).toBe(seatsLeft);
  });

  if (isExhaustive)
    test('a group has no more apps than it may', async () => {
      const by = await person(2);
      const body = { ...appDraft, requireLabels: [] };
      // One was there before.
      expect(await successesOf(times(atOnce, () => ({ name: 'createApp', by, body })))).toBe(99);
      expect(await database().$count(miniApps, eq(miniApps.ownerId, by.userId))).toBe(100);
    });

  if (isExhaustive)
    test('a person gets one trial, by however many spellings of their address', async () => {
      const name = Array.from(`p${randomUUID().replaceAll('-', '').slice(0, 9)}`);
      const spellings = times(40, (i) => {
        const dotted = name.map((letter, at) => (at > 0 && (i >> (at - 1)) % 2 ? `.${letter}` : letter));
        return `${dotted.join('')}@${i % 3 ? 'gmail.com' : 'googlemail.com'}`;
      });
      const bodies = await Promise.all(spellings.map(newCode));
      const attempts = times(manyAtOnce, (i) => ({ name: 'auth' as const, body: bodies[i % bodies.length] }));
      expect(await successesOf(attempts)).toBe(spellings.length);
      const ofPerson = inArray(users.email, spellings);
      expect(await database().$count(users, ofPerson)).toBe(spellings.length);
      expect(await database().$count(users, and(ofPerson, isNotNull(users.trialExpiredAt)))).toBe(1);
    });

  test('what an account does while it is deleted leaves nothing behind', async () => {
    const by = await person(2);
    const names = ['deleteSelf', 'consumeLicenseKey', 'createApp', 'userInfo'] as const;
    const params = { key: by.licenseKey };
    const body = { ...appDraft, requireLabels: [] };
    const attempts = times(manyAtOnce, (i) => {
      const name = names[i % names.length] ?? 'deleteSelf';
      return { name, by, params, ...(name === 'createApp' && { body }) };
    });
    expect(await successesOf(attempts)).toBeGreaterThan(0);
    expect(await database().$count(users, eq(users.id, by.userId))).toBe(0);
    expect(await database().$count(miniApps, eq(miniApps.ownerId, by.userId))).toBe(0);
  });
});
