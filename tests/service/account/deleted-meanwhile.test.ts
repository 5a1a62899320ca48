import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { newEmail, signedIn, startTestService, TestDevice, type TestService } from '../test-service.ts';

/** What is asked for while another transaction, which was first, deletes what it is about. */

let running: TestService;
beforeAll(async () => {
  running = await startTestService();
});
afterAll(() => running[Symbol.asyncDispose]());

/** A transaction of somebody else's, and a connection that sees who waits for it. */
let other: Client;
let watcher: Client;
beforeEach(async () => {
  const connectionString = running.environment['DATABASE_URL'];
  [other, watcher] = [new Client({ connectionString }), new Client({ connectionString })];
  await Promise.all([other.connect(), watcher.connect()]);
  await other.query('begin');
});
afterEach(() => Promise.all([other.end(), watcher.end()]));

/** Until so many of the service's transactions wait for another one. */
async function waiting(count: number): Promise<void> {
  const waits = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const timeout = waitLimit(30_000);
  await expect
    .poll(async () => (await watcher.query<{ count: number }>(waits)).rows[0]?.count, { timeout })
    .toBe(count);
}

test('a sign-in to an account that is being deleted makes a new one', async () => {
  const email = newEmail();
  const { deviceId, client } = await signedIn(running, email);
  await other.query('select from devices where device_id = $1 for update', [deviceId]);
  const deleted = client.call('deleteSelf');
  // It has deleted the codes that there were, and waits for the device.
  await waiting(1);
  const device = new TestDevice(running);
  const authId = await device.requestCode(email);
  const signing = device.verify(authId, await device.readCode(email));
  await waiting(2);
  await other.query('commit');
  expect(await deleted).toMatchObject({ ok: true });
  expect(await signing).toMatchObject({ ok: true });
  expect(await device.client.call('userInfo')).toMatchObject({ data: { email, profile: { level: 1 } } });
});

test('a link to the store is refused to a device that is being signed out', async () => {
  const { deviceId, client } = await signedIn(running, newEmail());
  expect(await client.call('createHandOver')).toMatchObject({ ok: true });
  await other.query('delete from devices where device_id = $1', [deviceId]);
  const asked = client.call('createHandOver');
  await waiting(1);
  await other.query('commit');
  expect(await asked).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
});
