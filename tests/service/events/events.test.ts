import { eventsPath } from '#shared/api/events.ts';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import type { Seed } from '../../../src/service/seed.ts';
import {
  databaseKindsOfRun,
  grantPlan,
  newEmail,
  newEnvironment,
  newSeededEnvironment,
  signedIn,
  startTestService,
  TestDevice,
  type DatabaseKind,
  type TestService,
} from '../test-service.ts';
import { readEvents, type EventReader } from './event-reader.ts';

const signedOut = 'end signed-out';
const seed: Seed = { licenseKeys: [{ key: 'A-MONTH', service: 'Plan', days: 30, seats: 3 }] };

const start = async (kind: DatabaseKind) =>
  startTestService({ environment: await newSeededEnvironment(kind, seed) });

/** Devices of as many new accounts, each with its stream. */
async function listening(running: TestService, count: number, email = newEmail) {
  const people: Listening[] = [];
  for (let i = 0; i < count; i += 1) {
    const address = email();
    const device = await signedIn(running, address);
    people.push({
      email: address,
      device,
      call: (...args) => device.client.call(...args),
      stream: await readEvents(running.url, device),
    });
  }
  return people as [Listening, Listening, Listening];
}
interface Listening {
  email: string;
  device: TestDevice;
  call: TestDevice['client']['call'];
  stream: EventReader;
}

/** Waits for an event that was not there before, and forgets the others until then. */
async function expectEvent(stream: EventReader, event: string) {
  await expect.poll(() => stream.events).toContain(event);
  stream.events.length = 0;
}

/** A stream that is opened at once may still hear of the sign-in before it. */
const withoutOwnSignIn = ({ events }: EventReader) => events.filter((event) => event !== 'devices');

describe.each(databaseKindsOfRun)('events on %s', (kind) => {
  test('say what has changed to the accounts that it concerns, and to nobody else', async () => {
    await using running = await start(kind);
    const [payer, guest, stranger] = await listening(running, 3);
    expect(payer.stream.status).toBe(200);
    expect(Object.fromEntries(payer.stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-frame-options': 'DENY',
    });
    expect(payer.stream.headers.get('content-encoding')).toBe(null);

    await payer.call('consumeLicenseKey', { params: { key: 'A-MONTH' } });
    await expectEvent(payer.stream, 'entitlement');

    await payer.call('addMember', { body: { loginId: guest.email, loginType: 'email' } });
    await expectEvent(guest.stream, 'invitations');
    const invitations = await guest.call('invitations');
    const id = invitations.ok ? invitations.data.items[0]?.id : undefined;
    await guest.call('declineInvitation', { params: { id: id ?? '' } });
    await expectEvent(payer.stream, 'invitations');

    await payer.call('addMember', { body: { loginId: guest.email, loginType: 'email' } });
    await expectEvent(guest.stream, 'invitations');
    const again = await guest.call('invitations');
    await guest.call('acceptInvitation', { params: { id: (again.ok && again.data.items[0]?.id) || '' } });
    await expectEvent(payer.stream, 'entitlement');
    await expectEvent(guest.stream, 'entitlement');

    // A plan is its members', too.
    await grantPlan(running, payer.email);
    await expectEvent(guest.stream, 'entitlement');
    await payer.call('removeMember', { params: { loginId: guest.email } });
    await expectEvent(guest.stream, 'entitlement');
    await payer.call('addMember', { body: { loginId: guest.email, loginType: 'email' } });
    await expectEvent(guest.stream, 'invitations');
    await payer.call('removeMember', { params: { loginId: guest.email } });
    await expectEvent(guest.stream, 'invitations');

    await signedIn(running, payer.email);
    await expectEvent(payer.stream, 'devices');
    expect(withoutOwnSignIn(stranger.stream)).toEqual([]);
    // Events that came twice would be noise to all devices.
    expect(payer.stream.isOver).toBe(false);
  });

  test('end with the session, however that ends', async () => {
    await using running = await start(kind);
    const email = newEmail();
    const [one, two, three] = await listening(running, 3, () => email);
    await one.call('revokeDevice', { params: { deviceId: two.device.deviceId } });
    await two.stream.over;
    expect(two.stream.events.at(-1)).toBe(signedOut);

    // The same device has a new token, and nobody else the old one; nor is it signed out before it has the new one.
    const { deviceId, token } = three.device;
    const before = await readEvents(running.url, three.device);
    await three.device.signIn(email);
    await before.over;
    expect(before.events).not.toContain(signedOut);
    expect((await readEvents(running.url, { deviceId, token })).status).toBe(401);
    expect(one.stream.isOver).toBe(false);

    const [stays] = await listening(running, 1);
    await one.call('revokeDevices');
    // Who asked has its answer, and is not signed out before that has come.
    await one.stream.over;
    expect(one.stream.events).not.toContain(signedOut);

    const [deleted, idle] = await listening(running, 2);
    await deleted.call('deleteSelf');
    await deleted.stream.over;
    expect(deleted.stream.events).not.toContain(signedOut);
    expect((await readEvents(running.url, deleted.device)).status).toBe(401);

    running.clock.advance({ hours: 24 * 89 });
    await stays.call('userInfo');
    running.clock.advance({ hours: 24 * 2 });
    await running.service.jobs.doNow(jobNames.idleDevices);
    await idle.stream.over;
    expect(idle.stream.events.at(-1)).toBe(signedOut);
    expect(stays.stream.isOver).toBe(false);
    await stays.stream[Symbol.asyncDispose]();
  });

  test('a stranger gets no stream, and a device’s second one replaces its first', async () => {
    await using running = await start(kind);
    const nobody = new TestDevice(running);
    expect((await readEvents(running.url, nobody)).status).toBe(401);
    const [{ device, stream }] = await listening(running, 1);
    for (const method of ['HEAD', 'POST']) {
      const reply = await fetch(running.url + eventsPath, { method });
      expect(reply.status).toBe(404);
    }
    await using second = await readEvents(running.url, device);
    await stream.over;
    expect(stream.events.at(-1)).toBe('end replaced');
    await device.client.call('consumeLicenseKey', { params: { key: 'A-MONTH' } });
    await expectEvent(second, 'entitlement');
  });

  test('a service that closes does not wait for the streams, and tells when to come back', async () => {
    const running = await start(kind);
    const [{ stream }] = await listening(running, 1);
    await running.service.close();
    await stream.over;
    expect(withoutOwnSignIn(stream)).toEqual([]);
    expect(stream.retryMs).toBeGreaterThan(0);
    // Who keeps a service waiting is cut off.
    expect(stream.isCut).toBe(false);
  });
});

test('a source has so many streams, an account, and a process', async () => {
  const many = { inAll: 10, perSource: 10, perAccount: 10 };
  await using bySource = await startTestService({ streamLimits: { ...many, perSource: 2 } });
  const [one, two] = await listening(bySource, 2);
  const third = await signedIn(bySource, newEmail());
  expect((await readEvents(bySource.url, third)).status).toBe(429);
  // In the place of its own older one.
  await using newer = await readEvents(bySource.url, two.device);
  expect(newer.status).toBe(200);
  await one.stream[Symbol.asyncDispose]();
  await expect.poll(async () => (await readEvents(bySource.url, third)).status).toBe(200);

  await using byAccount = await startTestService({ streamLimits: { ...many, perAccount: 1 } });
  const email = newEmail();
  await using own = await readEvents(byAccount.url, await signedIn(byAccount, email));
  expect(own.status).toBe(200);
  expect((await readEvents(byAccount.url, await signedIn(byAccount, email))).status).toBe(429);
  expect((await readEvents(byAccount.url, await signedIn(byAccount, newEmail()))).status).toBe(200);

  await using inAll = await startTestService({ streamLimits: { ...many, inAll: 1 } });
  await listening(inAll, 1);
  expect((await readEvents(inAll.url, await signedIn(inAll, newEmail()))).status).toBe(503);
});

describe('two processes on one PostgreSQL', () => {
  test('both tell what happens at either', async () => {
    const environment = { ...(await newEnvironment('postgresql')) };
    await using one = await startTestService({ environment });
    await using two = await startTestService({ environment, clock: one.clock });
    const email = newEmail();
    const device = await signedIn(one, email);
    await using stream = await readEvents(two.url, device);
    await grantPlan(one, email);
    await expectEvent(stream, 'entitlement');
    const other = await signedIn(one, email);
    await expectEvent(stream, 'devices');
    await other.client.call('revokeDevices');
    await stream.over;
    expect(stream.events.at(-1)).toBe(signedOut);
  });

  test('after the database was gone, devices come back and hear again', async () => {
    await using running = await startTestService({ kind: 'postgresql' });
    const email = newEmail();
    const device = await signedIn(running, email);
    const stream = await readEvents(running.url, device);
    const terminate = sql`
      select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await running.service.database.execute(terminate);
    // What was notified meanwhile is lost, so that the devices have to ask.
    await stream.over;
    expect(withoutOwnSignIn(stream)).toEqual([]);
    await using next = await readEvents(running.url, device);
    await grantPlan(running, email);
    await expectEvent(next, 'entitlement');
  });
});
