import { randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { eq, sql } from 'drizzle-orm';
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres';
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/service/database/database.ts';
import { sha256 } from '../../../src/service/http/token.ts';
import { products } from '../../../src/service/database/schema/billing.ts';
import { grants, planKinds } from '../../../src/service/database/schema/entitlements.ts';
import {
  databaseKindsOfRun,
  environmentWithoutTables,
  newDirectory,
  newEnvironment,
  newSeededEnvironment,
  signedIn,
  startTestService,
  testClock,
  TestDevice,
} from '../test-service.ts';

const migrations = path.resolve(import.meta.dirname, '../../../src/service/database/migrations');

/** The migrations that a version had which knew no ledger of entitlements. */
async function migrationsBeforeLedger(): Promise<string> {
  const folder = await newDirectory();
  await cp(migrations, folder, { recursive: true });
  const file = path.join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: { tag: string }[] };
  const first = journal.entries.findIndex(({ tag }) => tag.endsWith('_entitlements'));
  await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, first) }));
  return folder;
}

/** Fills a database of that version. */
async function fillEarlierDatabase(
  environment: NodeJS.ProcessEnv & { WAYMAKER_DATA_DIR: string },
  fill: (database: Pick<Database, 'execute'>) => Promise<void>,
): Promise<void> {
  const migrationsFolder = await migrationsBeforeLedger();
  const url = environment['DATABASE_URL'];
  if (url === undefined) {
    const client = await PGlite.create(path.join(environment.WAYMAKER_DATA_DIR, 'database'));
    const database = drizzlePglite(client);
    await migratePglite(database, { migrationsFolder });
    await fill(database);
    await client.close();
  } else {
    const pool = new Pool({ connectionString: url });
    const database = drizzlePostgres(pool);
    await migratePostgres(database, { migrationsFolder });
    await fill(database);
    await pool.end();
  }
}

test.each(databaseKindsOfRun)(
  'plans, seats and traffic of an earlier version’s %s are kept',
  async (kind) => {
    const environment = await environmentWithoutTables(kind);
    const [payer, member, ended, trial] = ['00', '01', '02', '03'].map(
      (end) => `00000000-0000-4000-8000-0000000000${end}`,
    );
    const serviceId = '00000000-0000-4000-8000-000000000099';
    await fillEarlierDatabase(environment, async (database) => {
      await database.execute(sql`insert into users (id, email, level, payer_id, first_order_done, created_at) values
      (${payer}, 'payer@example.com', 2, null, true, '2026-01-01T00:00:00Z'),
      (${member}, 'member@example.com', 3, ${payer}, false, '2026-01-01T00:00:00Z'),
      (${ended}, 'ended@example.com', 2, null, true, '2025-01-01T00:00:00Z'),
      (${trial}, 'trial@example.com', 1, null, false, '2026-01-01T00:00:00Z')`);
      await database.execute(sql`insert into plans (service_id, user_id, service, seats, expired_at) values
      (${serviceId}, ${payer}, 'Family', 5, '2026-06-01T00:00:00Z'),
      (gen_random_uuid(), ${member}, 'Trial', 1, null),
      (gen_random_uuid(), ${ended}, 'Single', 1, '2025-06-01T00:00:00Z'),
      (gen_random_uuid(), ${trial}, 'Trial', 1, null)`);
      await database.execute(sql`insert into traffic (user_id, rated, "in", out) values
      (${payer}, 1000, 20, 3), (${member}, 0, 0, 0), (${ended}, 0, 0, 0), (${trial}, 500, 5, 5)`);
      // Nobody asked then whether what was paid is taken back.
      await database.execute(sql`insert into orders
      (email, title, service, days, seats, price, quantity, total_amount, created_at, paid_at, reversed_at)
      select 'payer@example.com', title, 'Family', 30, 5, 999, 1, 999, paid_at, paid_at, reversed_at
      from (values
        ('lately', now() - interval '10 days', null), ('long ago', now() - interval '200 days', null),
        ('taken back', now() - interval '10 days', now())
      ) as paid (title, paid_at, reversed_at)`);
    });
    // To the service's clock, the database's is months ahead: its jobs would ask about all payments at once.
    await using running = await startTestService({ environment, doesJobs: false });
    const family = { serviceId, service: 'Family', seats: 5, expiredAt: '2026-06-01T00:00:00.000Z' };
    for (const email of ['payer@example.com', 'member@example.com']) {
      const { client } = await signedIn(running, email);
      expect(await client.call('myService')).toEqual({ ok: true, data: family });
      expect(await client.call('trafficStats')).toEqual({ ok: true, data: { rated: 1000, in: 20, out: 3 } });
    }
    const past = await signedIn(running, 'ended@example.com');
    expect(await past.client.call('myService')).toMatchObject({
      data: { service: 'Single', seats: 1, expiredAt: '2025-06-01T00:00:00.000Z' },
    });
    const without = await signedIn(running, 'trial@example.com');
    expect(await without.client.call('myService')).toMatchObject({ data: { expiredAt: null, seats: 0 } });
    expect(await without.client.call('trafficStats')).toMatchObject({ data: { rated: 500, in: 5, out: 5 } });
    const { database } = running.service;
    expect(await database.$count(grants, eq(grants.userId, payer ?? ''))).toBe(1);
    const soon = sql`payment_check_at between now() - interval '1 hour' and now() + interval '1 day'`;
    const checks = sql`select title, ${soon} as soon from orders order by title`;
    const { rows } = (await database.execute(checks)) as { rows: object[] };
    expect(rows).toEqual([
      { title: 'lately', soon: true },
      { title: 'long ago', soon: null },
      { title: 'taken back', soon: null },
    ]);
  },
);

test.each(databaseKindsOfRun)(
  'devices of an earlier version’s %s stay signed in, and open orders count',
  async (kind) => {
    const environment = await environmentWithoutTables(kind);
    const clock = testClock();
    const [owner, order] = [randomUUID(), randomUUID()];
    const known = { deviceId: randomUUID(), token: 'a-token-of-an-earlier-version' };
    const [now, later] = [
      clock.now().toISOString(),
      new Date(clock.now().getTime() + 3_600_000).toISOString(),
    ];
    await fillEarlierDatabase(environment, async (database) => {
      await database.execute(sql`insert into users (id, email, level, first_order_done, created_at)
      values (${owner}, 'buyer@example.com', 1, false, ${now})`);
      await database.execute(sql`insert into plans (service_id, user_id, service, seats, expired_at)
      values (gen_random_uuid(), ${owner}, 'Trial', 1, null)`);
      await database.execute(sql`insert into traffic (user_id, rated, "in", out) values (${owner}, 0, 0, 0)`);
      await database.execute(sql`insert into devices
      (device_id, user_id, name, token_hash, gateway_password_hash, created_at, last_seen_at)
      values (${known.deviceId}, ${owner}, 'A laptop', ${sha256(known.token)}, '$5$salt$hash', ${now}, ${now})`);
      // Paid at the provider; the browser was closed before it came back.
      await database.execute(sql`insert into orders
      (id, uuid, email, title, service, days, seats, price, quantity, total_amount, created_at)
      overriding system value
      values (7, ${order}, 'buyer@example.com', 'Family month', 'Family', 30, 5, 999, 1, 999, ${now})`);
      await database.execute(sql`insert into wordgate_payments
      (reference, title, amount, currency, state, return_url, expires_at)
      values (${order}, 'Family month', 999, 'USD', 'paid', 'http://127.0.0.1/', ${later})`);
    });
    await using running = await startTestService({ environment, clock });
    const { client } = new TestDevice(running, known);
    expect(await client.call('userInfo')).toMatchObject({ data: { email: 'buyer@example.com' } });
    expect(await client.call('devices')).toMatchObject({ data: { items: [{ deviceId: known.deviceId }] } });
    expect(await client.call('confirmPayment', { body: { order_id: '7' } })).toMatchObject({ ok: true });
    expect(await client.call('myService')).toMatchObject({ data: { service: 'Family', seats: 5 } });
  },
);

test('a database that was seeded before plans had limits gets those, and nothing else of the seed', async () => {
  const titles = { en: 'Month', 'zh-hans': '月付', 'zh-hant': '月付' };
  const product = { id: 'month', service: 'Family', titles, days: 30, seats: 5, price: 999 };
  const environment = await newSeededEnvironment('postgresql', { products: [product] });
  await (await startTestService({ environment })).service.close();
  const plans = [{ service: 'Family', gigabytes: 100, devices: 3 }];
  await writeFile(
    environment['WAYMAKER_SEED_FILE'] ?? '',
    JSON.stringify({ products: [{ ...product, id: 'other' }], plans }),
  );
  await using running = await startTestService({ environment });
  const { database } = running.service;
  expect(await database.select().from(planKinds)).toMatchObject([{ service: 'Family', devices: 3 }]);
  expect(await database.select().from(products)).toMatchObject([{ id: 'month' }]);
});

test.each(databaseKindsOfRun)(
  'a database on %s that a later version has changed is left as it is',
  async (kind) => {
    const environment = await newEnvironment(kind);
    const first = await startTestService({ environment });
    const later = sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`;
    await first.service.database.execute(later);
    await first.service.close();
    await expect(startTestService({ environment })).rejects.toThrow(
      'a later version of the service has changed this database',
    );
  },
);
