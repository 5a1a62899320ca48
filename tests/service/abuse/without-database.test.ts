import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callNames, newEnvironment, startTestService, type TestService } from '../test-service.ts';
import { askFor, basic } from './ask.ts';
import { newPerson, type Person } from './people.ts';

/** Every call while PostgreSQL ends all connections and takes none. */

/** What is the same for everybody, and in no database. */
const withoutDatabase: readonly ApiCallName[] = ['address', 'basicInfo'];

let running: TestService;
let person: Person;
let admin: Client;
let name = '';

beforeAll(async () => {
  const environment = await newEnvironment('postgresql');
  const url = environment['DATABASE_URL'] ?? '';
  running = await startTestService({ environment });
  person = await newPerson(running.service.database, 2, running.clock.now());
  name = new Client({ connectionString: url }).database ?? '';
  // Who is in a database cannot close it.
  admin = new Client({ connectionString: url.replace(name, 'postgres') });
  await admin.connect();
  await admin.query(`alter database "${name}" allow_connections false`);
  await admin.query('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [
    name,
  ]);
});

afterAll(async () => {
  await admin.query(`alter database "${name}" allow_connections true`);
  expect((await ask('userInfo')).status).toBe(200);
  await running[Symbol.asyncDispose]();
  await admin.end();
});

const ask = (called: ApiCallName) =>
  askFor(running, called, person, apiCalls[called].auth ? basic(person.deviceId, person.token) : undefined);

test.each(callNames)('%s says that the service is busy, and when to come again', async (called) => {
  const reply = await ask(called);
  if (withoutDatabase.includes(called)) {
    expect(reply.status).toBe(200);
  } else {
    expect(reply.status, reply.text).toBe(503);
    expect(reply.headers['retry-after']).toBe('5');
  }
});

test('the stream of events says so, too', async () => {
  const authorization = basic(person.deviceId, person.token);
  const reply = await running.service.http.inject({ url: '/api/events', headers: { authorization } });
  expect(reply.statusCode).toBe(503);
});

test('the health call says so, too', async () => {
  expect((await running.service.http.inject('/api/health')).statusCode).toBe(503);
});
