import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEmail, newEnvironment, startTestService, TestDevice, type TestService } from '../test-service.ts';

/** A database that takes no changes for a while: a standby behind the primary's address, or a full one. */

let running: TestService;
let admin: Client;
let name = '';

beforeAll(async () => {
  const environment = await newEnvironment('postgresql');
  const url = environment['DATABASE_URL'] ?? '';
  running = await startTestService({ environment });
  name = new Client({ connectionString: url }).database ?? '';
  admin = new Client({ connectionString: url.replace(name, 'postgres') });
  await admin.connect();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await admin.end();
});

/** For sessions that begin from now on. */
const setReadOnly = (state: 'on' | 'off') =>
  admin.query(`alter database "${name}" set default_transaction_read_only = ${state}`);
const endSessions = () =>
  admin.query('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [name]);
const health = async () => (await running.service.http.inject('/api/health')).statusCode;
const askForCode = async () => {
  const device = new TestDevice(running);
  const answer = await device.client.call('getAuthCode', { body: { email: newEmail() } });
  return answer.ok ? 'sent' : answer.failure.kind === 'service' && answer.failure.code;
};

test('a read-only database is answered like one that is not there, and taken up again by itself', async () => {
  expect(await health()).toBe(204);
  await setReadOnly('on');
  await endSessions();
  await expect.poll(health).toBe(503);
  expect(await askForCode()).toBe(503);
  // No session is ended: none that takes no changes was kept.
  await setReadOnly('off');
  await expect.poll(health).toBe(204);
  expect(await askForCode()).toBe('sent');
});
