import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { rowsOf } from '../../../src/service/database/database.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { environmentWithoutTables, newEmail, signedIn, startTestService } from '../test-service.ts';

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
