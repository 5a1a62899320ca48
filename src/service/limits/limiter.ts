import { lt, sql, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { preparedRows } from '../database/prepared.ts';
import { rateLimits } from '../database/schema/sign-in.ts';
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
      await database.delete(rateLimits).where(lt(rateLimits.fullAt, options.now().getTime()));
    },
  };
}

/** Of a bucket; `room` is how much goes into it. */
const valueOf = (name: 'key' | 'step' | 'room', i: number) => sql.placeholder(`${name}_${i}`);
const now = sql`${sql.placeholder('now')}::bigint`;

function takeFrom(count: number): SQL {
  const indexes = [...Array(count).keys()];
  const steps = indexes.map((i): SQL => {
    const step = sql`${valueOf('step', i)}::bigint`;
    const room = sql`${valueOf('room', i)}::bigint`;
    // What is more than empty was written before the clock was set back: nobody is to wait until it gets there again.
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
  // One after the other, in the order in which they are taken: else two requests could wait for each other.
  const steps = [...Array(count).keys()].map((i): SQL => {
    const after = i === 0 ? sql`` : sql.raw(` and (select count(*) from back_${i - 1}) >= 0`);
    return sql`${sql.raw(`back_${i}`)} as (
      update rate_limits set full_at = full_at - ${valueOf('step', i)}::bigint
      where key = ${valueOf('key', i)}${after} returning 1)`;
  });
  return sql`with ${sql.join(steps, sql`, `)} select`;
}
