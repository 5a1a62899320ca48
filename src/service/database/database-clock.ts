import { sql } from 'drizzle-orm';
import { rowsOf, type Database } from './database.ts';

const measuredEachMs = 60_000;

/**
 * The time as the database has it. Processes of one service whose machines disagree about the time agree by it on
 * what has expired. In between it goes on by a clock that nobody sets, and is measured again once it was for a minute.
 * `onError` gets why it could not be: then it goes on as before.
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

/** By how much the database's clock is ahead of `performance.now()`. It was read halfway between question and answer. */
async function measure(database: Database): Promise<number> {
  const before = performance.now();
  const [row] = await rowsOf<{ ms: number }>(
    database,
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`,
  );
  if (!row) throw new Error('the database does not tell the time');
  return row.ms - (before + performance.now()) / 2;
}
