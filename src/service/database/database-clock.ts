import { sql } from 'drizzle-orm';
import { rowsOf, type Database } from './database.ts';

const measuredEachMs = 60_000;
/** After a failure, such as while the network of a machine that was suspended is not up again. */
const triedAgainMs = 5_000;
/** A wall clock is corrected by less at a time, or has been set. */
const leapMs = 1_000;

/**
 * The database's time. Processes of one service use it to agree on what has expired, even if their machines' clocks
 * differ. Between measurements it advances with a monotonic clock; it is measured again once the last measurement is a
 * minute old, or the machine has stood still, as one that is suspended does, and with it that clock. If that fails,
 * `onError` is called, and the old measurement stays in use for some seconds more.
 */
export async function databaseClock(
  database: Database,
  onError: (error: unknown) => void,
): Promise<() => Date> {
  let aheadMs = await measure(database);
  let measureAt = performance.now() + measuredEachMs;
  /** How far this machine's wall clock is ahead of the monotonic one. */
  const wallAhead = () => Date.now() - performance.now();
  let wallAheadMs = wallAhead();
  const measureAgain = async () => {
    aheadMs = await measure(database);
  };
  return () => {
    const ms = performance.now();
    if (ms >= measureAt || Math.abs(wallAhead() - wallAheadMs) >= leapMs) {
      measureAt = ms + measuredEachMs;
      wallAheadMs = wallAhead();
      measureAgain().catch((error: unknown) => {
        measureAt = ms + triedAgainMs;
        onError(error);
      });
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
