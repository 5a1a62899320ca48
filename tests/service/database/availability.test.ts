import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createLogger } from '../../../src/service/log.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { readConfig } from '../../../src/service/config.ts';
import { createService } from '../../../src/service/service.ts';
import {
  fetchEnvelope,
  newDirectory,
  newEmail,
  newEnvironment,
  signedIn,
  startTestService,
  TestDevice,
} from '../test-service.ts';

const busy = { status: 503, body: { code: 503, msg: 'The service is busy. Please retry in a moment.' } };

/** A signed-in device of a service that waits not long for its PostgreSQL database, or as long as `variables` say. */
async function impatientService(variables: NodeJS.ProcessEnv = {}) {
  let log = '';
  const logger = createLogger('info', { write: (line) => (log += line) });
  const patient = await newEnvironment('postgresql');
  // Signing in is not what is refused here, however slow this machine is.
  const before = await startTestService({ environment: patient });
  const device = await signedIn(before, newEmail());
  await before[Symbol.asyncDispose]();
  const environment: NodeJS.ProcessEnv = {
    ...patient,
    WAYMAKER_DATABASE_TIMEOUT_SECONDS: String(waitLimit(3000) / 1000),
    ...variables,
  };
  const running = await startTestService({ environment, logger });
  const authorization = `Basic ${btoa(`${device.deviceId}:${device.token}`)}`;
  const admin = new Client({ connectionString: environment['DATABASE_URL'] });
  await admin.connect();
  const closing = new AsyncDisposableStack();
  closing.use(running);
  closing.defer(() => admin.end());
  const myService = () => fetchEnvelope(`${running.url}/api/my-service`, { headers: { authorization } });
  return {
    running,
    admin,
    log: () => log,
    myService,
    /** Once nothing is in the way, a call is answered; on a slow machine maybe not the first one. */
    recovers: () => vi.waitFor(async () => expect((await myService()).status).toBe(200), waitLimit(60_000)),
    /** One call waits for what `admin` has locked. */
    callWaitsForLock: () =>
      vi.waitFor(async () => {
        // Within a transaction, connections that are made later are not seen otherwise (PostgreSQL,
        // pg_stat_clear_snapshot).
        await admin.query('select pg_stat_clear_snapshot()');
        const { rowCount } = await admin.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      }),
    /** A call that is one transaction. */
    consumeKey: () =>
      fetchEnvelope(`${running.url}/api/license-keys/none/consume`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{}',
      }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

test('a table that somebody keeps locked is told as 503, and why in the log', async () => {
  await using service = await impatientService();
  await service.admin.query('begin; lock table traffic, entitlements, users in access exclusive mode');
  const reply = await service.myService();
  expect(reply).toMatchObject(busy);
  expect(reply.headers.get('retry-after')).toBe('5');
  expect(service.log()).toContain('canceling statement due to lock timeout');
  await service.admin.query('rollback');
  await service.recovers();
});

test('with all connections taken, who waits is told 503 and does not wait for ever', async () => {
  await using service = await impatientService({ WAYMAKER_DATABASE_CONNECTIONS: '2' });
  await service.admin.query('begin; lock table traffic, entitlements, users in access exclusive mode');
  const replies = await Promise.all(Array.from({ length: 6 }, service.myService));
  for (const reply of replies) expect(reply).toMatchObject(busy);
  expect(service.log()).toContain('timeout exceeded when trying to connect');
  await service.admin.query('rollback');
  await service.recovers();
});

test('a statement that takes too long is ended, and told as 503', async () => {
  await using service = await impatientService();
  await service.admin.query(`
    insert into entitlements ("user_id", "from", "to", service, seats, rate, sources)
      select id, now(), now() + interval '1 day', 'Family', 1, 1, '[]' from users;
    alter table entitlements rename to slow_entitlements;
    create view entitlements as select slow_entitlements.* from slow_entitlements, pg_sleep(3600)`);
  expect(await service.myService()).toMatchObject(busy);
  expect(service.log()).toContain('canceling statement due to statement timeout');
});

/** So that what is refused is refused because its connection has ended, also on a busy machine. */
const patience = { WAYMAKER_DATABASE_TIMEOUT_SECONDS: '120' };

test('connections that the database ends are told as 503 once, and made again', async () => {
  await using service = await impatientService(patience);
  await service.admin.query('begin; lock table traffic, entitlements, users in access exclusive mode');
  const waiting = service.myService();
  const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await service.callWaitsForLock();
  // Once they have ended, the service takes none of them for another call.
  await service.admin.query(`select pg_terminate_backend(pid, 60000) ${others}`);
  expect(await waiting).toMatchObject(busy);
  await service.admin.query('rollback');
  expect(await service.myService()).toMatchObject({ status: 200 });
});

test('a transaction whose connection the database ends is told as 503, and the process goes on', async () => {
  await using service = await impatientService(patience);
  const { admin } = service;
  await admin.query('begin; lock table license_keys in access exclusive mode');
  const consumed = service.consumeKey();
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await service.callWaitsForLock();
  await admin.query(`select pg_terminate_backend(pid) ${waiting}`);
  expect(await consumed).toMatchObject(busy);
  await admin.query('rollback');
  expect(await service.consumeKey()).toMatchObject({ status: 404 });
});

test('connections on which nothing can begin are not used up: others are made', async () => {
  await using service = await impatientService({ WAYMAKER_DATABASE_CONNECTIONS: '2' });
  const { database } = service.running.service;
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const takeOne = () =>
    database.transaction(async (transaction) => {
      await transaction.execute(sql`select 1`);
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
    });
  await Promise.all([takeOne(), takeOne()]);
  const { rows } = await service.admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name <> 'pgboss'`,
  );
  expect(rows).toHaveLength(2);
  const signal = (name: NodeJS.Signals) => rows.forEach(({ pid }) => process.kill(pid, name));
  signal('SIGSTOP');
  try {
    const begin = () => database.transaction(async () => undefined);
    const isPassing = (result: PromiseSettledResult<unknown>) =>
      result.status === 'rejected' && isUnavailable(result.reason);
    expect((await Promise.allSettled([begin(), begin()])).map(isPassing)).toEqual([true, true]);
    // Starting one may take a slow machine too long the first time.
    await vi.waitFor(async () => {
      const replies = await Promise.all([service.consumeKey(), service.consumeKey()]);
      expect(replies).toMatchObject([{ status: 404 }, { status: 404 }]);
    }, waitLimit(60_000));
  } finally {
    signal('SIGCONT');
  }
});

test('the store’s calls are told as 503, too', async () => {
  await using service = await impatientService();
  const { running, admin } = service;
  await admin.query('begin; lock table products, orders, store_visits in access exclusive mode');
  const ask = (path: string, body?: object) =>
    fetchEnvelope(`${running.url}/api/store/${path}`, {
      headers: { 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const purchase = { productId: 'month', quantity: 1 };
  const secret = 'x'.repeat(43);
  const replies = await Promise.all([
    ask('offers'),
    ask('orders', { ...purchase, email: newEmail() }),
    ask('visits', { code: secret }),
    ask('visits/orders', { ...purchase, visit: secret }),
    ask('visits/confirm', { visit: secret, order_id: '1' }),
  ]);
  for (const reply of replies) expect(reply).toMatchObject(busy);
  await admin.query('rollback');
});

test('a server whose socket is gone is no fault of the call', async () => {
  const client = new Client({ host: await newDirectory(), user: 'anybody' });
  const error: unknown = await client.connect().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(isUnavailable(error)).toBe(true);
  expect(isUnavailable(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }))).toBe(
    false,
  );
});

test('what expires goes by the database’s clock, whatever this machine’s says', async () => {
  const environment = await newEnvironment('postgresql');
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-01-01T00:00:00Z') });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const service = await createService({ config: readConfig(environment) });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => service.close());
  const { url } = await service.listen();
  const device = new TestDevice({ url, service });
  await device.signIn(newEmail());
  const { rows } = (await service.database.execute(
    sql`select extract(epoch from now() - created_at)::float as age from users`,
  )) as { rows: { age: number }[] };
  expect(Math.abs(rows[0]?.age ?? Infinity)).toBeLessThan(3600);
});
