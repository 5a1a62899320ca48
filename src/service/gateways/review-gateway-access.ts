import { asc, gt } from 'drizzle-orm';
import { lockFor, type Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { loginsAt, readAccess, readOffer, type Offer } from './device-access.ts';
import { publishGatewayAccess, type GatewayAccess, type PublishedLogins } from './gateway-access.ts';

/** Of which no more are looked at in one piece, as others wait for that long. */
const accountsAtOnce = 500;
/** What each has published is in memory meanwhile. */
const placesAtOnce = 8;

/**
 * Finds where gateways and the database differ, and mends that: after plans and trials have ended, changes by services
 * on other machines, or the loss of what was published. Others wait only while something is mended.
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
  // Places that are new have nothing yet.
  await publishGatewayAccess(database, gateways, now, { userIds: [] });
  for (const place of await gateways.publishedPlaces()) {
    if (!places.includes(place)) await closePlace(database, gateways, place);
  }
}

/** Devices of which a place has something else than the database. */
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

/** Nobody gets in where there is no gateway any more. */
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
