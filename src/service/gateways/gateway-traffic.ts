import { eq, inArray, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { lockFor, type Database } from '../database/database.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { deviceId } from '../http/device-fields.ts';
import { devices, users } from '../database/schema/account.ts';
import { countedSessions, traffic } from '../database/schema/gateways.ts';

/** A gateway's report of a session that ended. Bytes are from the user's point of view. */
export type SpooledSession =
  | { kind: 'session'; userName: string; received: number; sent: number }
  /** The file is not a record of a session. */
  | { kind: 'refused' }
  | { kind: 'gone' };

/** Sessions that ended at self-hosted gateways and are not counted yet. */
export interface TrafficSpool {
  /** The waiting sessions; a name is never used for another session. */
  names(): Promise<string[]>;
  read(name: string): Promise<SpooledSession>;
  /** Removes them for good, even if the power fails. */
  remove(names: readonly string[]): Promise<void>;
}

/** While these are counted, no other process can count, and PGlite answers nothing else. */
const sessionsAtOnce = 200;
const owners = alias(users, 'owners');
const largestCount = sql.raw(`${Number.MAX_SAFE_INTEGER}::bigint`);

/**
 * Adds waiting sessions to the traffic of the accounts whose plans were used, each session once. A note that a session
 * is counted is written in the same transaction, and deleted only after the session is removed from the spool. So a
 * crash at any point is corrected the next time, and services that share a database and a spool do not count twice.
 */
export async function countGatewayTraffic(
  database: Database,
  spool: TrafficSpool,
  logger: Logger,
  now: Date,
): Promise<void> {
  const waiting = await spool.names();
  for (let start = 0; start < waiting.length; start += sessionsAtOnce) {
    const names = waiting.slice(start, start + sessionsAtOnce);
    await database.transaction(async (transaction) => {
      await lockFor(transaction, 'traffic');
      for (const name of names) {
        await countSession(transaction, name, await spool.read(name), logger, now);
      }
    });
    await database.transaction(async (transaction) => {
      await lockFor(transaction, 'traffic');
      await spool.remove(names);
      await transaction.delete(countedSessions).where(inArray(countedSessions.name, names));
    });
  }
}

async function countSession(
  transaction: Database,
  name: string,
  session: SpooledSession,
  logger: Logger,
  now: Date,
): Promise<void> {
  if (session.kind === 'gone') return;
  const noted = await transaction.insert(countedSessions).values({ name }).onConflictDoNothing().returning();
  if (noted.length === 0) return;
  if (session.kind === 'refused') {
    logger.warn({ record: name }, 'a gateway’s record of a session was refused');
    return;
  }
  const person = await personOf(transaction, session.userName);
  if (person === undefined) {
    logger.info({ record: name }, 'a session at a gateway is of no device that is known');
    return;
  }
  const allowance = (await readEntitlement(transaction, person, now)).traffic;
  const since = sql`${new Date(allowance.since).toISOString()}::timestamptz`;
  await transaction
    .update(traffic)
    .set({
      since: sql`greatest(${traffic.since}, ${since})`,
      in: plus(traffic.in, session.received, since),
      out: plus(traffic.out, session.sent, since),
    })
    .where(eq(traffic.userId, person.owner.id));
}

/**
 * Whose plan a device uses: for a member, the payer's. Gateways can also have users of an administrator, who have none.
 */
async function personOf(database: Database, userName: string): Promise<PlanUser | undefined> {
  if (!deviceId.safeParse(userName).success) return undefined;
  const [found] = await database
    .select({ user: users, owner: owners })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .where(eq(devices.gatewayUser, userName));
  return found;
}

/** What was counted before `since` belongs to another trial or month. */
function plus(column: typeof traffic.in | typeof traffic.out, bytes: number, since: SQL) {
  const before = sql`case when ${traffic.since} < ${since} then 0 else ${column} end`;
  return sql`least(${before} + ${bytes}::bigint, ${largestCount})`;
}
