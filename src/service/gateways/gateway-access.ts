import { isServerItemOpen, isTrafficLeft, trafficUsed } from '#shared/plan/entitlement.ts';
import { and, desc, eq, exists, gt, isNotNull, lte, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { lockFor, type Database } from '../database/database.ts';
import { entitlementOfRows } from '../database/entitlement-rows.ts';
import {
  devices,
  entitlements,
  gatewayPasswords,
  serverGroupItems,
  serverGroups,
  servers,
  traffic,
  users,
} from '../database/schema.ts';

/** A device that gateways should let in (design §3). */
export interface GatewayLogin {
  user: string;
  passwordHash: string;
}

/** Where gateways are: those at one place share what they know of devices, and so their passwords. */
export interface GatewayAddress {
  domain: string;
  port: number | null;
}

/** Self-hosted gateways, as the service sees them. */
export interface GatewayAccess {
  /** Passwords as these gateways store them. */
  hashPasswords(passwords: readonly string[]): Promise<string[]>;
  placeOf(gateway: GatewayAddress): string;
  /** Places that there are whatever servers are listed. */
  commonPlaces: readonly string[];
  /** From now on the gateways let in exactly these devices, by place. */
  publish(logins: ReadonlyMap<string, readonly GatewayLogin[]>): Promise<void>;
}

const owners = alias(users, 'owners');

/**
 * Brings the gateways up to date with the database, which is the truth: what they keep is always written as a
 * whole, so that a lost or old copy mends itself. Services that share a database do this one at a time.
 */
export async function publishGatewayAccess(
  database: Database,
  gateways: GatewayAccess,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'gatewayAccess');
    const items = await transaction
      .select({
        id: serverGroupItems.id,
        level: serverGroupItems.level,
        isTrial: serverGroups.isTrial,
      })
      .from(serverGroupItems)
      .innerJoin(serverGroups, eq(serverGroups.id, serverGroupItems.groupId));
    const listed = await transaction.select().from(servers);
    const places = new Map<string, GatewayLogin[]>();
    for (const place of gateways.commonPlaces) places.set(place, []);
    const itemPlaces = new Map<string, Set<string>>();
    for (const server of listed) {
      const place = gateways.placeOf(server);
      places.set(place, []);
      itemPlaces.set(server.itemId, (itemPlaces.get(server.itemId) ?? new Set()).add(place));
    }
    const people = await readPeople(transaction, now);
    const hashes = await readHashes(transaction);
    for (const { user, tokenHash, entitlement } of people) {
      const open = items.filter((item) => isServerItemOpen(entitlement, item));
      const openPlaces = new Set(open.flatMap(({ id }) => [...(itemPlaces.get(id) ?? [])]));
      // Where no servers are listed, the gateways are the administrator's.
      if (items.length === 0 || open.length > 0)
        for (const place of gateways.commonPlaces) openPlaces.add(place);
      for (const place of openPlaces) {
        const passwordHash = hashes.get(user)?.get(place) ?? tokenHash;
        if (passwordHash !== null) places.get(place)?.push({ user, passwordHash });
      }
    }
    await gateways.publish(places);
  });
}

/** Hashes of passwords by user name and place. */
async function readHashes(database: Database): Promise<Map<string, Map<string, string>>> {
  const hashes = new Map<string, Map<string, string>>();
  for (const { gatewayUser, place, hash } of await database.select().from(gatewayPasswords)) {
    const ofUser = hashes.get(gatewayUser) ?? new Map<string, string>();
    hashes.set(gatewayUser, ofUser.set(place, hash));
  }
  return hashes;
}

/**
 * Devices whose entitlement runs (specification §6) and has traffic left, in the order of their user names; of a
 * person's devices, as many as the plan allows, those that signed in last.
 */
async function readPeople(database: Database, now: Date) {
  const isNow = and(lte(entitlements.from, now), gt(entitlements.to, now));
  const ownPasswords = database
    .select({ place: gatewayPasswords.place })
    .from(gatewayPasswords)
    .where(eq(gatewayPasswords.gatewayUser, devices.gatewayUser));
  const rows = await database
    .select({
      gatewayUser: devices.gatewayUser,
      tokenHash: devices.gatewayPasswordHash,
      user: users,
      owner: owners,
      entitlement: entitlements,
      counted: traffic,
    })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .leftJoin(entitlements, and(eq(entitlements.userId, owners.id), isNow))
    .leftJoin(traffic, eq(traffic.userId, owners.id))
    .where(or(isNotNull(devices.gatewayPasswordHash), exists(ownPasswords)))
    .orderBy(desc(devices.createdAt), devices.gatewayUser);
  const devicesOf = new Map<string, number>();
  const open = rows.flatMap(({ gatewayUser, tokenHash, user, owner, entitlement: row, counted }) => {
    const entitlement = entitlementOfRows({ user, owner }, row ? [row] : [], now);
    const { plan, trial, devices: limit, traffic: allowance } = entitlement;
    const used = trafficUsed(allowance, counted ? { ...counted, since: counted.since.getTime() } : undefined);
    const before = devicesOf.get(user.id) ?? 0;
    devicesOf.set(user.id, before + 1);
    if (!(plan?.runs ?? trial?.runs) || before >= (limit ?? Infinity)) return [];
    return isTrafficLeft(allowance, used) ? [{ user: gatewayUser, tokenHash, entitlement }] : [];
  });
  return open.sort((one, other) => (one.user < other.user ? -1 : 1));
}
