import { sql } from 'drizzle-orm';
import { rowsOf, type Database } from './database.ts';

const measuredEachMs = 60_000;

/**
 * The database's time. Processes of one service use it to agree on what has expired, even if their machines' clocks
 * differ. Between measurements it advances with a monotonic clock; it is measured again once the last measurement is a
 * minute old. If that fails, `onError` is called, and the old measurement stays in use.
 */
export async function databaseClock(
  database: Database,
  onError: (error: unknown) => void,
): Promise<() => Date> {
  let aheadMs = await measure(database);
  let measuredAt = performance.now();
  const measureAgain = async () => {
    aheadMs = await measure(database);
  };
  return () => {
    const ms = performance.now();
    if (ms - measuredAt >= measuredEachMs) {
      measuredAt = ms;
      measureAgain().catch(onError);
    }
    return new Date(ms + aheadMs);
  };
}

/**
 * How far the database's clock is ahead of `performance.now()`, assuming that it was read halfway between request and
 * answer.
 */
async function measure(database: Database): Promise<number> {
  const before = performance.now();
  const [row] = await rowsOf<{ ms: number }>(
    database,
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`,
  );
  if (!row) throw new Error('the database does not tell the time');
  return row.ms - (before + performance.now()) / 2;
}
