import { and, eq, gt, ne, sql, type SQL } from 'drizzle-orm';
import { rowsOf, type Database } from '../database/database.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { invitations, users } from '../database/schema.ts';

/** How many members a payer's running plan has room for; none without one, and a trial has no seats to give. */
export async function seatsToGive(database: Database, payer: PlanUser['owner'], now: Date): Promise<number> {
  return (await readEntitlement(database, { user: payer, owner: payer }, now)).seatsToGive;
}

/** An invitation that can be accepted now. */
export const isOpenInvitation = (now: Date): SQL | undefined =>
  and(eq(invitations.state, 'open'), gt(invitations.expiresAt, now));

/** Seats that members sit on, and those with what is kept for who is invited, but for the person with `exceptEmail`. */
export async function countSeats(
  database: Database,
  payerId: string,
  now: Date,
  exceptEmail?: string,
): Promise<{ members: number; taken: number }> {
  const except: SQL | undefined = exceptEmail === undefined ? undefined : ne(invitations.email, exceptEmail);
  const invited = and(eq(invitations.payerId, payerId), isOpenInvitation(now), except);
  const [row] = await rowsOf<{ members: number; invited: number }>(
    database,
    sql`select (select count(*)::int from ${users} where ${eq(users.payerId, payerId)}) as members,
      (select count(*)::int from ${invitations} where ${invited}) as invited`,
  );
  const { members = 0, invited: kept = 0 } = row ?? {};
  return { members, taken: members + kept };
}
