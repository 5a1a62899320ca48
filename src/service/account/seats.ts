import { sql } from 'drizzle-orm';
import { rowsOf, type Database } from '../database/database.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { seatCounts } from '../database/seat-counts.ts';

/** How many members fit into a payer's current plan; 0 without one, since a trial has no seats. */
export async function seatsToGive(database: Database, payer: PlanUser['owner'], now: Date): Promise<number> {
  return (await readEntitlement(database, { user: payer, owner: payer }, now)).seatsToGive;
}

/** Seats of members and of open invitations, except for the person with `exceptEmail`. */
export async function countTakenSeats(
  database: Database,
  of: { payerId: string; now: Date; exceptEmail: string },
): Promise<number> {
  const { members, invited } = seatCounts(database, of);
  const [row] = await rowsOf<{ taken: number }>(
    database,
    sql`select (${members} + ${invited})::integer as taken`,
  );
  if (!row) throw new Error('a SELECT without a table gave no row');
  return row.taken;
}
