import { and, eq, gt, ne, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { invitations, plans, users } from '../database/schema.ts';

/** How many members a payer's running plan has room for; none without one, and a trial has no seats to give. */
export async function seatsToGive(database: Database, payerId: string, now: Date): Promise<number> {
  const [plan] = await database
    .select({ seats: plans.seats })
    .from(plans)
    .where(and(eq(plans.userId, payerId), gt(plans.expiredAt, now)));
  return plan?.seats ?? 0;
}

/** An invitation that can be accepted now. */
export const isOpenInvitation = (now: Date): SQL | undefined =>
  and(eq(invitations.state, 'open'), gt(invitations.expiresAt, now));

/** Seats that members sit on, or that are kept for who is invited, but for the person with `exceptEmail`. */
export async function seatsTaken(
  database: Database,
  payerId: string,
  now: Date,
  exceptEmail?: string,
): Promise<number> {
  const except: SQL | undefined = exceptEmail === undefined ? undefined : ne(invitations.email, exceptEmail);
  const members = await database.$count(users, eq(users.payerId, payerId));
  return (
    members +
    (await database.$count(invitations, and(eq(invitations.payerId, payerId), isOpenInvitation(now), except)))
  );
}
