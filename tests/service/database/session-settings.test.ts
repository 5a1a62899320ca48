import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { rowsOf } from '../../../src/service/database/database.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import {
  environmentWithoutTables,
  newDirectory,
  newEmail,
  signedIn,
  startTestService,
} from '../test-service.ts';

const seed: Seed = {
  licenseKeys: [{ key: 'FOUR-DAYS', service: 'Gift', days: 4, seats: 1 }],
};

/** The environment of a service on a new database whose sessions begin with these settings. */
async function environmentWith(settings: Record<string, string>, parameters = '') {
  const environment = await environmentWithoutTables('postgresql');
  const url = environment['DATABASE_URL'] ?? '';
  const admin = new Client({ connectionString: url });
  await admin.connect();
  for (const [name, value] of Object.entries(settings)) {
    await admin.query(
      `do $$ begin execute format('alter database %I set ${name} = ${value}', current_database()); end $$`,
    );
  }
  await admin.query('create schema elsewhere');
  await admin.end();
  const seedFile = path.join(environment.WAYMAKER_DATA_DIR, 'seed.json');
  await writeFile(seedFile, JSON.stringify(seed));
  return { ...environment, DATABASE_URL: url + parameters, WAYMAKER_SEED_FILE: seedFile };
}

const others: Record<string, string>[] = [
  { DateStyle: "''SQL, DMY''" },
  { DateStyle: "''German''" },
  { DateStyle: "''Postgres, DMY''", TimeZone: "''Australia/Lord_Howe''", IntervalStyle: "''sql_standard''" },
  {
    bytea_output: "''escape''",
    standard_conforming_strings: 'off',
    default_transaction_isolation: "''serializable''",
    client_encoding: "''latin1''",
    extra_float_digits: '-15',
    search_path: 'elsewhere',
    // The tables are made, and a second process waits for them, no matter how long that takes.
    statement_timeout: '1',
  },
];
/** All at once, of two settings of dates the one that differs most. */
const together: Record<string, string> = Object.assign({}, ...others);

test.each(casesOf<Record<string, string>>({ usual: [together], all: others }))(
  'a database whose sessions begin with %o answers like any other',
  async (settings) => {
    const environment = await environmentWith(settings);
    await using running = await startTestService({ environment });
    const device = await signedIn(running, newEmail());
    expect(await device.client.call('consumeLicenseKey', { params: { key: 'FOUR-DAYS' } })).toMatchObject({
      ok: true,
    });
    const plan = await device.client.call('myService');
    const fourDaysLater = new Date(running.clock.now().getTime() + 4 * 24 * 3_600_000).toISOString();
    expect(plan).toMatchObject({ ok: true, data: { expiredAt: fourDaysLater } });
    const own = await rowsOf(
      running.service.database,
      sql`select name, setting from pg_settings where source in ('database', 'user', 'database user')`,
    );
    expect(own).toEqual([]);
  },
);

test('what the address itself asks for is kept, unless results depend on it', async () => {
  const options = new URLSearchParams({ options: '-c search_path=elsewhere -c work_mem=5MB' });
  const environment = await environmentWith({}, `&${options.toString()}`);
  await using running = await startTestService({ environment });
  await signedIn(running, newEmail());
  const tables = await rowsOf(
    running.service.database,
    sql`select schemaname, current_setting('work_mem') as memory from pg_tables where tablename = 'users'`,
  );
  expect(tables).toEqual([{ schemaname: 'public', memory: '5MB' }]);
});

/** A pooler that passes on everything but what a connection asks for at its start (PostgreSQL's manual, 55.7). */
async function poolerWithoutOptions(databaseUrl: string): Promise<string> {
  const server = createServer((client) => {
    const database = connect(path.join(new URL(databaseUrl).searchParams.get('host') ?? '', '.s.PGSQL.5432'));
    for (const end of [client, database]) end.on('error', () => undefined);
    client.once('data', (startup: Buffer) => {
      const words = startup.subarray(8).toString().split('\0');
      const at = words.indexOf('options');
      const rest = Buffer.from(words.toSpliced(at, 2).join('\0'));
      const head = Buffer.from(startup.subarray(0, 8));
      head.writeUInt32BE(8 + rest.length);
      database.write(Buffer.concat([head, rest]));
      client.pipe(database).pipe(client);
    });
  });
  const directory = await newDirectory();
  server.listen(path.join(directory, '.s.PGSQL.5432'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = new URL(databaseUrl);
  url.searchParams.set('host', directory);
  return url.href;
}

test('behind a pooler that ignores what a connection asks for, a service starts only where that makes no difference', async () => {
  const german = await environmentWith({ DateStyle: "''German''", TimeZone: "''Asia/Kathmandu''" });
  const between = { ...german, DATABASE_URL: await poolerWithoutOptions(german.DATABASE_URL) };
  await expect(startTestService({ environment: between })).rejects.toThrow(
    /DATABASE_URL: .*DateStyle is German, DMY.*TimeZone is Asia\/Kathmandu/,
  );
  const usual = await environmentWith({
    TimeZone: "''UTC''",
    extra_float_digits: '3',
    search_path: 'public',
  });
  const environment = { ...usual, DATABASE_URL: await poolerWithoutOptions(usual.DATABASE_URL) };
  await using running = await startTestService({ environment });
  await signedIn(running, newEmail());
});
