import { isServerItemOpen, isTrafficLeft, trafficUsed } from '#shared/plan/entitlement.ts';
import { and, desc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { lockFor, type Database } from '../database/database.ts';
import { entitlementOfRows } from '../database/entitlement-rows.ts';
import { devices, entitlements, serverGroupItems, serverGroups, traffic, users } from '../database/schema.ts';

/** A device that a gateway should let in: its user name is the device's id, its password the token (design §3). */
export interface GatewayLogin {
  deviceId: string;
  passwordHash: string;
  /** Ids of the server items whose gateways are open to it. */
  items: readonly string[];
}

/** Self-hosted gateways, as the service sees them. */
export interface GatewayAccess {
  /** The password as these gateways store it. */
  hashPassword(password: string): Promise<string>;
  /** From now on the gateways let in exactly these devices. `items`: all server items that there are. */
  publish(logins: readonly GatewayLogin[], items: readonly string[]): Promise<void>;
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
    const logins = (await readLogins(transaction, items, now)).sort((one, other) =>
      one.deviceId < other.deviceId ? -1 : 1,
    );
    await gateways.publish(
      logins,
      items.map(({ id }) => id),
    );
  });
}

interface ServerItem {
  id: string;
  level: number;
  isTrial: boolean;
}

/**
 * A device gets in while its entitlement opens a gateway (specification §6) and has traffic left; of a person's
 * devices, as many as the plan allows, those that signed in last. Where no servers are listed, the gateways are the
 * administrator's, and open to whoever has a trial or a plan.
 */
async function readLogins(
  database: Database,
  items: readonly ServerItem[],
  now: Date,
): Promise<GatewayLogin[]> {
  const isNow = and(lte(entitlements.from, now), gt(entitlements.to, now));
  const rows = await database
    .select({
      deviceId: devices.deviceId,
      passwordHash: sql<string>`${devices.gatewayPasswordHash}`,
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
    .where(isNotNull(devices.gatewayPasswordHash))
    .orderBy(desc(devices.createdAt), devices.deviceId);
  const devicesOf = new Map<string, number>();
  return rows.flatMap(({ deviceId, passwordHash, user, owner, entitlement: row, counted }) => {
    const entitlement = entitlementOfRows({ user, owner }, row ? [row] : [], now);
    const { plan, trial, devices: limit, traffic: allowance } = entitlement;
    const used = trafficUsed(allowance, counted ? { ...counted, since: counted.since.getTime() } : undefined);
    const before = devicesOf.get(user.id) ?? 0;
    devicesOf.set(user.id, before + 1);
    if (!(plan?.runs ?? trial?.runs) || before >= (limit ?? Infinity)) return [];
    if (!isTrafficLeft(allowance, used)) return [];
    const open = items.filter((item) => isServerItemOpen(entitlement, item)).map(({ id }) => id);
    return items.length === 0 || open.length > 0 ? [{ deviceId, passwordHash, items: open }] : [];
  });
}
