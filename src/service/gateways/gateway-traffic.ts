import { eq, inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { lockFor, type Database } from '../database/database.ts';
import { deviceId } from '../http/device-fields.ts';
import { countedSessions, devices, traffic, users } from '../database/schema.ts';

/** What a gateway says of a session that ended. Bytes are from the user's view. */
export type SpooledSession =
  | { kind: 'session'; userName: string; received: number; sent: number }
  /** What is there is no record of a session. */
  | { kind: 'refused' }
  | { kind: 'gone' };

/** Sessions that ended at self-hosted gateways and wait to be counted. */
export interface TrafficSpool {
  /** What waits; no name is ever used for another session. */
  names(): Promise<string[]>;
  read(name: string): Promise<SpooledSession>;
  /** They do not come back, not even after a power loss. */
  remove(names: readonly string[]): Promise<void>;
}

/** So long does nobody else count, nor PGlite answer. */
const sessionsAtOnce = 200;
const largestCount = sql.raw(`${Number.MAX_SAFE_INTEGER}::bigint`);

/**
 * Adds what waits to the traffic of the accounts whose plans were used, each session once: that it is counted is
 * noted in the same transaction, and the note goes only when the spool has forgotten the session. So a crash at any
 * point is made good by the next time, and services that share a database and a spool do not count for each other.
 */
export async function countGatewayTraffic(
  database: Database,
  spool: TrafficSpool,
  logger: Logger,
): Promise<void> {
  const waiting = await spool.names();
  for (let start = 0; start < waiting.length; start += sessionsAtOnce) {
    const names = waiting.slice(start, start + sessionsAtOnce);
    await database.transaction(async (transaction) => {
      await lockFor(transaction, 'traffic');
      for (const name of names) await countSession(transaction, name, await spool.read(name), logger);
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
): Promise<void> {
  if (session.kind === 'gone') return;
  const noted = await transaction.insert(countedSessions).values({ name }).onConflictDoNothing().returning();
  if (noted.length === 0) return;
  if (session.kind === 'refused') {
    logger.warn({ record: name }, 'a gateway’s record of a session was refused');
    return;
  }
  const owner = await ownerOf(transaction, session.userName);
  if (owner === undefined) {
    logger.info({ record: name }, 'a session at a gateway is of no device that is known');
    return;
  }
  await transaction
    .update(traffic)
    .set({ in: plus(traffic.in, session.received), out: plus(traffic.out, session.sent) })
    .where(eq(traffic.userId, owner));
}

/** Whose plan a device uses: a member's is the payer's. Gateways can have users of an administrator's, too. */
async function ownerOf(database: Database, userName: string): Promise<string | undefined> {
  if (!deviceId.safeParse(userName).success) return undefined;
  const [found] = await database
    .select({ owner: sql<string>`coalesce(${users.payerId}, ${users.id})` })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .where(eq(devices.deviceId, userName));
  return found?.owner;
}

function plus(column: typeof traffic.in | typeof traffic.out, bytes: number) {
  return sql`least(${column} + ${bytes}::bigint, ${largestCount})`;
}
