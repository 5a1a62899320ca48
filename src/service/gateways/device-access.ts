import { isServerItemOpen, isTrafficLeft, trafficUsed, type Entitlement } from '#shared/plan/entitlement.ts';
import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { entitlementOfRows } from '../database/entitlement-rows.ts';
import { devices, users } from '../database/schema/account.ts';
import { entitlements } from '../database/schema/entitlements.ts';
import {
  gatewayPasswords,
  serverGroupItems,
  serverGroups,
  servers,
  traffic,
} from '../database/schema/gateways.ts';
import type { GatewayAccess, GatewayLogin } from './gateway-port.ts';

const owners = alias(users, 'owners');

export type Offer = Awaited<ReturnType<typeof readOffer>>;

/** The server items, and the places of their gateways. */
export async function readOffer(database: Database, gateways: GatewayAccess) {
  const items = await database
    .select({
      id: serverGroupItems.id,
      level: serverGroupItems.level,
      isTrial: serverGroups.isTrial,
    })
    .from(serverGroupItems)
    .innerJoin(serverGroups, eq(serverGroups.id, serverGroupItems.groupId));
  const listed = await database
    .select({ itemId: servers.itemId, domain: servers.domain, port: servers.port })
    .from(servers);
  const placesOf = Map.groupBy(
    listed.map((server) => ({ itemId: server.itemId, place: gateways.placeOf(server) })),
    ({ itemId }) => itemId,
  );
  return {
    places: [...new Set([...gateways.commonPlaces, ...listed.map((server) => gateways.placeOf(server))])],
    commonPlaces: gateways.commonPlaces,
    items: items.map((item) => ({
      ...item,
      places: (placesOf.get(item.id) ?? []).map(({ place }) => place),
    })),
  };
}

/** A device, and its password's hash at each place that lets it in. */
interface DeviceAccess {
  user: string;
  hashes: ReadonlyMap<string, string>;
}

export function loginsAt(place: string, access: readonly DeviceAccess[]): GatewayLogin[] {
  return access.flatMap(({ user, hashes }) => {
    const passwordHash = hashes.get(place);
    return passwordHash === undefined ? [] : [{ user, passwordHash }];
  });
}

/**
 * All devices with a password of these accounts, ordered by user name, and where they are let in: while the entitlement
 * is current (specification §6) and has traffic left. Of each person's devices, as many as the plan allows, those that
 * signed in last.
 */
export async function readAccess(
  database: Database,
  offer: Offer,
  userIds: readonly string[],
  now: Date,
): Promise<DeviceAccess[]> {
  if (userIds.length === 0) return [];
  const people = await readPeople(database, userIds, now);
  const hashes = await readHashes(database, userIds);
  const signedIn = await database
    .select({
      user: devices.gatewayUser,
      userId: devices.userId,
      tokenHash: devices.gatewayPasswordHash,
    })
    .from(devices)
    .where(inArray(devices.userId, [...userIds]))
    .orderBy(desc(devices.createdAt), devices.gatewayUser);
  const devicesOf = new Map<string, number>();
  const access = signedIn.flatMap(({ user, userId, tokenHash }): DeviceAccess[] => {
    const own = hashes.get(user);
    if (!own && tokenHash === null) return [];
    const before = devicesOf.get(userId) ?? 0;
    devicesOf.set(userId, before + 1);
    const entitlement = people.get(userId);
    if (!entitlement || before >= (entitlement.devices ?? Infinity)) return [{ user, hashes: new Map() }];
    const open = new Map<string, string>();
    for (const place of openPlaces(entitlement, offer)) {
      const hash = own?.get(place) ?? tokenHash;
      if (hash !== null) open.set(place, hash);
    }
    return [{ user, hashes: open }];
  });
  return access.sort((one, other) => (one.user < other.user ? -1 : 1));
}

function openPlaces(entitlement: Entitlement, { items, commonPlaces }: Offer): Set<string> {
  const open = items.filter((item) => isServerItemOpen(entitlement, item));
  // If no servers are listed, the administrator manages the gateways.
  const common = items.length === 0 || open.length > 0 ? commonPlaces : [];
  return new Set([...open.flatMap(({ places }) => places), ...common]);
}

/** Hashes of passwords, by user name and place. */
async function readHashes(
  database: Database,
  userIds: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const rows = await database
    .select({
      user: gatewayPasswords.gatewayUser,
      place: gatewayPasswords.place,
      hash: gatewayPasswords.hash,
    })
    .from(gatewayPasswords)
    .innerJoin(devices, eq(devices.gatewayUser, gatewayPasswords.gatewayUser))
    .where(inArray(devices.userId, [...userIds]));
  const hashes = new Map<string, Map<string, string>>();
  for (const { user, place, hash } of rows) {
    hashes.set(user, (hashes.get(user) ?? new Map<string, string>()).set(place, hash));
  }
  return hashes;
}

/** What these accounts may use now, by id; only accounts that may use anything. */
async function readPeople(database: Database, userIds: readonly string[], now: Date) {
  const isNow = and(lte(entitlements.from, now), gt(entitlements.to, now));
  const rows = await database
    .select({
      userId: users.id,
      owner: {
        id: owners.id,
        firstOrderDone: owners.firstOrderDone,
        trialExpiredAt: owners.trialExpiredAt,
        trialTraffic: owners.trialTraffic,
      },
      entitlement: entitlements,
      counted: traffic,
    })
    .from(users)
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .leftJoin(entitlements, and(eq(entitlements.userId, owners.id), isNow))
    .leftJoin(traffic, eq(traffic.userId, owners.id))
    .where(inArray(users.id, [...userIds]));
  return new Map(
    rows.flatMap(({ userId, owner, entitlement: row, counted }) => {
      const entitlement = entitlementOfRows({ user: { id: userId }, owner }, row ? [row] : [], now);
      const { plan, trial, traffic: allowance } = entitlement;
      const used = trafficUsed(
        allowance,
        counted ? { ...counted, since: counted.since.getTime() } : undefined,
      );
      const isOpen = (plan?.runs ?? trial?.runs ?? false) && isTrafficLeft(allowance, used);
      return isOpen ? [[userId, entitlement] as const] : [];
    }),
  );
}
