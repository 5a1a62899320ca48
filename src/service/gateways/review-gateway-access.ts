import { asc, gt } from 'drizzle-orm';
import { lockFor, type Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { loginsAt, readAccess, readOffer, type Offer } from './device-access.ts';
import { publishGatewayAccess } from './gateway-access.ts';
import type { GatewayAccess, PublishedLogins } from './gateway-port.ts';

/** How many accounts are checked in one go, which other requests have to wait for. */
const accountsAtOnce = 500;
/** How many places are checked at once; their published logins are in memory meanwhile. */
const placesAtOnce = 8;

/**
 * Finds and corrects differences between gateways and the database, after plans and trials have ended, services on
 * other machines made changes, or published files were lost. Others wait only while something is corrected.
 */
export async function reviewGatewayAccess(
  database: Database,
  gateways: GatewayAccess,
  now: Date,
): Promise<void> {
  const offer = await readOffer(database, gateways);
  const { places } = offer;
  for (let start = 0; start < places.length; start += placesAtOnce) {
    const differing = await findDifferences(database, gateways, {
      offer,
      places: places.slice(start, start + placesAtOnce),
      now,
    });
    await publishAll(database, gateways, now, differing);
  }
  // New places have nothing published yet.
  await publishGatewayAccess(database, gateways, now, { userIds: [] });
  for (const place of await gateways.publishedPlaces()) {
    if (!places.includes(place)) await closePlace(database, gateways, place);
  }
}

/** Devices for which a place differs from the database. */
async function findDifferences(
  database: Database,
  gateways: GatewayAccess,
  { offer, places, now }: { offer: Offer; places: readonly string[]; now: Date },
): Promise<string[]> {
  const published = new Map<string, PublishedLogins>();
  for (const place of places) published.set(place, await gateways.read(place));
  const differing = new Set<string>();
  for await (const userIds of pagesOfAccounts(database)) {
    const access = await readAccess(database, offer, userIds, now);
    for (const [place, logins] of published) {
      for (const login of loginsAt(place, access)) if (!logins.has(login)) differing.add(login.user);
    }
  }
  for (const logins of published.values()) for (const user of logins.rest()) differing.add(user);
  return [...differing];
}

async function publishAll(
  database: Database,
  gateways: GatewayAccess,
  now: Date,
  gatewayUsers: readonly string[],
): Promise<void> {
  for (let start = 0; start < gatewayUsers.length; start += accountsAtOnce) {
    const some = gatewayUsers.slice(start, start + accountsAtOnce);
    await publishGatewayAccess(database, gateways, now, { userIds: [], gatewayUsers: some });
  }
}

/** Nobody may get in where a gateway no longer exists. */
async function closePlace(database: Database, gateways: GatewayAccess, place: string): Promise<void> {
  const left = (await gateways.read(place)).rest();
  if (left.length === 0) return;
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'gatewayAccess');
    const { places } = await readOffer(transaction, gateways);
    if (!places.includes(place)) await gateways.change(place, { users: left, logins: [] });
  });
}

async function* pagesOfAccounts(database: Database): AsyncGenerator<string[]> {
  let last: string | undefined;
  for (;;) {
    const page = await database
      .select({ id: users.id })
      .from(users)
      .where(last === undefined ? undefined : gt(users.id, last))
      .orderBy(asc(users.id))
      .limit(accountsAtOnce);
    last = page.at(-1)?.id;
    if (last === undefined) return;
    yield page.map(({ id }) => id);
  }
}
