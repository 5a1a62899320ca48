import { inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { preparedRows } from '../database/prepared.ts';
import { rateLimits } from '../database/schema/sign-in.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import type { LimitName, Limits } from './limits.ts';

/** One bucket: a limit, and whose it is (a source, an account's email …; empty for a limit that all share). */
export interface Bucket {
  limit: LimitName;
  of: readonly string[];
}

export interface Limiter {
  /**
   * Takes one from each bucket, in order, up to the first that is empty, and returns that bucket's limit, or undefined
   * if there is none. What was taken before stays taken, so the narrowest bucket comes first: callers who have emptied
   * their own take nothing from what others need.
   */
  take(...buckets: Bucket[]): Promise<LimitName | undefined>;
  /** Puts back what was taken for something that turned out not to count. */
  putBack(...buckets: Bucket[]): Promise<void>;
  /** Deletes buckets that are full again, which makes no difference. */
  forgetFull(): Promise<void>;
}

const hourMs = 3_600_000;

/**
 * Limits in the database, so that all processes share them. A bucket is one row with the time when it will be full
 * again (the generic cell rate algorithm, ITU-T I.371). All buckets of a call are one statement, which changes a bucket
 * only if the one before was not empty. rate-limiter-flexible needs a statement or a transaction for each, cannot stop
 * at the first, and uses the process's clock. The table is unlogged, so that nobody waits for a disk.
 */
export function createLimiter(options: {
  database: Database;
  limits: Limits;
  hash: KeyedHash;
  now: () => Date;
}): Limiter {
  const { database, limits, hash } = options;
  const keyOf = ({ limit, of }: Bucket) => hash('rate limits', JSON.stringify([limit, ...of]));
  const stepOf = ({ limit }: Bucket) => Math.max(1, Math.round(hourMs / limits[limit].perHour));
  const valuesOf = (buckets: readonly Bucket[]) =>
    Object.fromEntries(
      buckets.flatMap((bucket, i) => [
        [`key_${i}`, keyOf(bucket)],
        [`step_${i}`, stepOf(bucket)],
        [`room_${i}`, stepOf(bucket) * limits[bucket.limit].burst],
      ]),
    );

  return {
    async take(...buckets) {
      const { length } = buckets;
      const values = { ...valuesOf(buckets), now: options.now().getTime() };
      const statement = () => takeFrom(length);
      const [row] = await preparedRows<{ taken: number }>(database, `take_${length}`, statement, values);
      return buckets[row?.taken ?? 0]?.limit;
    },

    async putBack(...buckets) {
      const { length } = buckets;
      await preparedRows(database, `put_back_${length}`, () => putBackTo(length), valuesOf(buckets));
    },

    async forgetFull() {
      // Not those that a call has locked: it may wait for others of them, and one would fail to wait for the other.
      const full = database
        .select({ key: rateLimits.key })
        .from(rateLimits)
        .where(lt(rateLimits.fullAt, options.now().getTime()))
        .for('update', { skipLocked: true });
      await database.delete(rateLimits).where(inArray(rateLimits.key, full));
    },
  };
}

/** Values of bucket `i`; `room` is its size. */
const valueOf = (name: 'key' | 'step' | 'room', i: number) => sql.placeholder(`${name}_${i}`);
const now = sql`${sql.placeholder('now')}::bigint`;

function takeFrom(count: number): SQL {
  const indexes = [...Array(count).keys()];
  const steps = indexes.map((i): SQL => {
    const step = sql`${valueOf('step', i)}::bigint`;
    const room = sql`${valueOf('room', i)}::bigint`;
    // A bucket that is more than empty was written before the clock was set back; nobody should have to wait for that.
    const before = sql`case when rate_limits.full_at > ${now} + ${room} then ${now}
      else greatest(rate_limits.full_at, ${now}) end`;
    const fullAt = sql`${before} + ${step}`;
    const from = i === 0 ? sql`` : sql.raw(` from taken_${i - 1}`);
    return sql`${sql.raw(`taken_${i}`)} as (
      insert into rate_limits (key, full_at) select ${valueOf('key', i)}::text, ${now} + ${step}${from}
      on conflict (key) do update set full_at = ${fullAt} where ${fullAt} <= ${now} + ${room}
      returning 1)`;
  });
  const counts = indexes.map((i) => sql.raw(`(select count(*)::int from taken_${i})`));
  return sql`with ${sql.join(steps, sql`, `)} select ${sql.join(counts, sql` + `)} as taken`;
}

function putBackTo(count: number): SQL {
  // Locked one after the other, always in the same order; otherwise two requests could deadlock.
  const steps = [...Array(count).keys()].map((i): SQL => {
    const after = i === 0 ? sql`` : sql.raw(` and (select count(*) from back_${i - 1}) >= 0`);
    return sql`${sql.raw(`back_${i}`)} as (
      update rate_limits set full_at = full_at - ${valueOf('step', i)}::bigint
      where key = ${valueOf('key', i)}${after} returning 1)`;
  });
  return sql`with ${sql.join(steps, sql`, `)} select`;
}
