/**
 * How many days of an offer are left if its buyer has more members than the offer has seats; undefined means all of
 * them. Nobody loses a seat by a purchase: seats that the plan does not include cost as much as its others, so it ends
 * sooner (ledger.ts).
 */
export function shortenedDays(bought: { days: number; seats: number }, members: number): number | undefined {
  const seats = Math.max(bought.seats, 1);
  return members > seats ? Math.floor((bought.days * seats) / members) : undefined;
}
