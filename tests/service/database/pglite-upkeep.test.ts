import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { openDatabase, rowsOf, type OpenDatabase } from '../../../src/service/database/database.ts';
import { copyEmptyDatabase } from '../empty-database.ts';

/** What PostgreSQL does by itself, and PGlite does not. */

const minuteMs = 60_000;
let opened: OpenDatabase;

beforeEach(async () => {
  const directory = await mkdtemp(path.join(inject('scratchDirectory'), 'upkeep-'));
  await copyEmptyDatabase(inject('emptyDataDirectory'), directory);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  opened = await openDatabase({ kind: 'pglite', directory }, () => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

const one = async (statement: string) => {
  const [row] = await rowsOf<{ value: number }>(
    opened.database,
    sql.raw(`select (${statement})::int as value`),
  );
  return row?.value ?? NaN;
};
/** How much of the write-ahead log would be read after a crash, in bytes. */
const logBytes = () =>
  one('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) from pg_control_checkpoint()');

test('the write-ahead log is not kept longer than some minutes', async () => {
  await one(`select count(pg_logical_emit_message(false, 'test', repeat('x', 1000000)))
    from generate_series(1, 20)`);
  expect(await logBytes()).toBeGreaterThan(20_000_000);
  vi.advanceTimersByTime(5 * minuteMs);
  await expect.poll(logBytes).toBeLessThan(1_000_000);
});

test('a table that is changed again and again stays as large as it is', async () => {
  const size = () => one(`pg_table_size('kept_up')`);
  const isKeptUp = `relname = 'kept_up'`;
  /** -1 until the table is looked at. */
  const rowsKnown = () => one(`select reltuples from pg_class where ${isKeptUp}`);
  const change = async () => {
    await opened.database.execute(sql.raw('update kept_up set number = number + 1'));
    await opened.database.execute(sql.raw(`update pg_class set reltuples = -1 where ${isKeptUp}`));
  };
  await opened.database.execute(
    sql.raw('create table kept_up as select number, 0 as other from generate_series(1, 2000) as number'),
  );
  const changedHourly: number[] = [];
  for (let hour = 0; hour < 6; hour += 1) {
    await change();
    vi.advanceTimersByTime(60 * minuteMs);
    await expect.poll(rowsKnown).toBe(2000);
    changedHourly.push(await size());
  }
  expect(changedHourly.at(-1)).toBeLessThan(2 * (changedHourly[0] ?? 0));
});

test('calls are answered between the tables of a vacuum', async () => {
  for (const name of ['one', 'two', 'three']) {
    await opened.database.execute(sql.raw(`create table "kept up ${name}" as select 1 as number`));
  }
  // -1 until then.
  const untouched = () =>
    one(`select count(*) from pg_class where relname like 'kept up %' and reltuples < 0`);
  vi.advanceTimersByTime(60 * minuteMs);
  expect(await untouched()).toBe(3);
  await expect.poll(untouched).toBe(0);
});
