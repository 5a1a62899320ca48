/**
 * How many days of an offer are left when its buyer has more members than it has seats; undefined: all of them. Nobody
 * loses a seat by a purchase: those that the plan does not have cost what its others do, and it ends sooner (ledger.ts).
 */
export function shortenedDays(bought: { days: number; seats: number }, members: number): number | undefined {
  const seats = Math.max(bought.seats, 1);
  return members > seats ? Math.floor((bought.days * seats) / members) : undefined;
}
