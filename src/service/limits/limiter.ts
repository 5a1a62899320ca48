import { lt, sql, type SQL } from 'drizzle-orm';
import { rowsOf, type Database } from '../database/database.ts';
import { rateLimits } from '../database/schema.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import type { LimitName, Limits } from './limits.ts';

/** One bucket: of a limit, and of whom (a source, an account's email …; nothing for a limit of all together). */
export interface Bucket {
  limit: LimitName;
  of: readonly string[];
}

export interface Limiter {
  /**
   * Takes one from each bucket in turn, up to the first that is empty: says which that is, or undefined if there is
   * none. What is taken before stays taken, so the narrowest comes first: whoever has emptied theirs takes nothing
   * from what others need.
   */
  take(...buckets: Bucket[]): Promise<LimitName | undefined>;
  /** Puts back what was taken for something that turned out to cost nothing. */
  putBack(...buckets: Bucket[]): Promise<void>;
  /** Forgets who has not come for so long that it makes no difference. */
  forgetFull(): Promise<void>;
}

const hourMs = 3_600_000;

/**
 * Limits kept in the database, so that all processes share them. A bucket is one row with the time when it will be full
 * again (the generic cell rate algorithm, ITU-T I.371), and all buckets of a call are one statement, in which the next is
 * only touched if the one before had something left. rate-limiter-flexible needs a statement or a transaction for
 * each, cannot stop at the first, and goes by the process's clock. The table is unlogged, so that nobody waits for a disk.
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

  return {
    async take(...buckets) {
      const now = sql`${options.now().getTime()}::bigint`;
      const steps = buckets.map((bucket, i): SQL => {
        const step = stepOf(bucket);
        const room = step * limits[bucket.limit].burst;
        // What is more than empty was written before the clock was set back: nobody is to wait until it gets there again.
        const before = sql`case when rate_limits.full_at > ${now} + ${room}::bigint then ${now}
          else greatest(rate_limits.full_at, ${now}) end`;
        const fullAt = sql`${before} + ${step}::bigint`;
        const from = i === 0 ? sql`` : sql.raw(` from taken_${i - 1}`);
        return sql`${sql.raw(`taken_${i}`)} as (
          insert into rate_limits (key, full_at) select ${keyOf(bucket)}::text, ${now} + ${step}::bigint${from}
          on conflict (key) do update set full_at = ${fullAt} where ${fullAt} <= ${now} + ${room}::bigint
          returning 1)`;
      });
      const counts = buckets.map((_, i) => sql.raw(`(select count(*)::int from taken_${i})`));
      const [row] = await rowsOf<{ taken: number }>(
        database,
        sql`with ${sql.join(steps, sql`, `)} select ${sql.join(counts, sql` + `)} as taken`,
      );
      return buckets[row?.taken ?? 0]?.limit;
    },

    async putBack(...buckets) {
      // One after the other, in the order in which they are taken: else two requests could wait for each other.
      const steps = buckets.map((bucket, i): SQL => {
        const after = i === 0 ? sql`` : sql.raw(` and (select count(*) from back_${i - 1}) >= 0`);
        return sql`${sql.raw(`back_${i}`)} as (
          update rate_limits set full_at = full_at - ${stepOf(bucket)}::bigint
          where key = ${keyOf(bucket)}${after} returning 1)`;
      });
      await database.execute(sql`with ${sql.join(steps, sql`, `)} select`);
    },

    async forgetFull() {
      await database.delete(rateLimits).where(lt(rateLimits.fullAt, options.now().getTime()));
    },
  };
}
