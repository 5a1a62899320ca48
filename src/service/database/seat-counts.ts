import { and, count, eq, gt, ne, sql, type Placeholder, type SQL, type SQLWrapper } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from './database.ts';
import { users } from './schema/account.ts';
import { invitations } from './schema/group.ts';

/** An invitation that can be accepted now. */
export const isOpenInvitation = (now: Date | Placeholder): SQL | undefined =>
  and(eq(invitations.state, 'open'), gt(invitations.expiresAt, now));

/**
 * Two parts of a statement: how many of a payer's seats are taken by members, and how many are reserved for invited
 * people.
 */
export function seatCounts(
  database: Database,
  of: { payerId: string | SQLWrapper; now: Date | Placeholder; exceptEmail?: string | undefined },
): { members: SQL<number>; invited: SQL<number> } {
  const { payerId, now, exceptEmail } = of;
  const sitting = alias(users, 'sitting');
  const except = exceptEmail === undefined ? undefined : ne(invitations.email, exceptEmail);
  const members = database.select({ seats: count() }).from(sitting).where(eq(sitting.payerId, payerId));
  const invited = database
    .select({ seats: count() })
    .from(invitations)
    .where(and(eq(invitations.payerId, payerId), isOpenInvitation(now), except));
  return {
    members: sql<number>`${members}`.mapWith(Number),
    invited: sql<number>`${invited}`.mapWith(Number),
  };
}
