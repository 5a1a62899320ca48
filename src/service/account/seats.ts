import { and, count, eq, gt, ne, sql, type Placeholder, type SQL } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { invitations, users } from '../database/schema.ts';

/** How many members a payer's running plan has room for; none without one, and a trial has no seats to give. */
export async function seatsToGive(database: Database, payer: PlanUser['owner'], now: Date): Promise<number> {
  return (await readEntitlement(database, { user: payer, owner: payer }, now)).seatsToGive;
}

/** An invitation that can be accepted now. */
export const isOpenInvitation = (now: Date | Placeholder): SQL | undefined =>
  and(eq(invitations.state, 'open'), gt(invitations.expiresAt, now));

interface CountedSeats {
  members: number;
  /** With what is kept for who is invited. */
  taken: number;
}

/** Seats that members sit on, and what is kept for who is invited, but for the person with `exceptEmail`. */
export async function countSeats(
  database: Database,
  payerId: string,
  now: Date,
  exceptEmail?: string,
): Promise<CountedSeats> {
  return countedIn(await seatsQuery(database, { payerId, now, exceptEmail }));
}

/** As `countSeats`, for what asks often: the statement's text is made once. */
export function seatCounter(database: Database): (payerId: string, now: Date) => Promise<CountedSeats> {
  const payerId = sql.placeholder('payerId');
  const query = seatsQuery(database, { payerId, now: sql.placeholder('now') }).prepare('seats');
  return async (payer, now) => countedIn(await query.execute({ payerId: payer, now }));
}

function seatsQuery(
  database: Database,
  of: { payerId: string | Placeholder; now: Date | Placeholder; exceptEmail?: string | undefined },
) {
  const { payerId, now, exceptEmail } = of;
  const except = exceptEmail === undefined ? undefined : ne(invitations.email, exceptEmail);
  return unionAll(
    database
      .select({ by: sql<'members' | 'invited'>`'members'`, seats: count() })
      .from(users)
      .where(eq(users.payerId, payerId)),
    database
      .select({ by: sql<'members' | 'invited'>`'invited'`, seats: count() })
      .from(invitations)
      .where(and(eq(invitations.payerId, payerId), isOpenInvitation(now), except)),
  );
}

function countedIn(rows: readonly { by: 'members' | 'invited'; seats: number }[]): CountedSeats {
  const seatsBy = (who: 'members' | 'invited') => rows.find(({ by }) => by === who)?.seats ?? 0;
  const members = seatsBy('members');
  return { members, taken: members + seatsBy('invited') };
}
