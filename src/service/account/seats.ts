import { sql } from 'drizzle-orm';
import { rowsOf, type Database } from '../database/database.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { seatCounts } from '../database/seat-counts.ts';

/** How many members a payer's running plan has room for; none without one, and a trial has no seats to give. */
export async function seatsToGive(database: Database, payer: PlanUser['owner'], now: Date): Promise<number> {
  return (await readEntitlement(database, { user: payer, owner: payer }, now)).seatsToGive;
}

/** Seats that members sit on, and what is kept for who is invited, but for the person with `exceptEmail`. */
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
