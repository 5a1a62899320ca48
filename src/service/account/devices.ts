import { randomUUID } from 'node:crypto';
import type { Entitlement } from '#shared/plan/entitlement.ts';
import { and, asc, desc, eq, inArray, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { notifyAccounts } from '../database/account-changes.ts';
import { lockForText, type Database } from '../database/database.ts';
import { entitlementOfRows } from '../database/entitlement-rows.ts';
import { prepared } from '../database/prepared.ts';
import { devices, users } from '../database/schema/account.ts';
import { entitlements } from '../database/schema/entitlements.ts';
import { gatewayPasswords } from '../database/schema/gateways.ts';

const value = sql.placeholder;

/**
 * Signs `device` in to the account with a new token. If the device was signed in to this account before, its old token
 * ends, and the gateway passwords derived from it too. Other accounts of the device are not touched, because a device
 * id is not a secret. Returns the gateway user names of devices that lost their access. The new passwords are created
 * when the device asks for them.
 */
export async function signInDevice(
  database: Database,
  device: {
    deviceId: string;
    userId: string;
    name: string;
    tokenHash: string;
    /** False for a browser. */
    isDevice: boolean;
    now: Date;
  },
): Promise<string[]> {
  const { deviceId, userId, name, tokenHash, isDevice, now } = device;
  // One at a time, so that two accounts do not get the same user name at gateways.
  await lockForText(database, `device ${deviceId}`);
  // And one after the other to an account: devices that sign in at once do not see each other, and would all stay.
  if (isDevice) await lockForText(database, `account ${userId}`);
  const known = await prepared(database, 'devices_of_id', () =>
    database
      .select()
      .from(devices)
      .where(or(eq(devices.deviceId, value('deviceId')), eq(devices.gatewayUser, value('deviceId')))),
  ).execute({ deviceId });
  const before = known.find((one) => one.deviceId === deviceId && one.userId === userId);
  const gatewayUser = known.some((one) => one.gatewayUser === deviceId) ? randomUUID() : deviceId;
  await prepared(database, 'insert_device', () => insertDevice(database)).execute({
    deviceId,
    gatewayUser,
    userId,
    name,
    tokenHash,
    isDevice,
    now,
  });
  const isOut = before !== undefined && (await endPasswords(database, before));
  await notifyAccounts(database, 'devices', [device.userId], before?.gatewayUser);
  const tooMany = device.isDevice ? await keepToDeviceLimit(database, device) : [];
  return isOut ? [before.gatewayUser, ...tooMany] : tooMany;
}

function insertDevice(database: Database) {
  return database
    .insert(devices)
    .values({
      deviceId: value('deviceId'),
      gatewayUser: value('gatewayUser'),
      userId: value('userId'),
      name: value('name'),
      tokenHash: value('tokenHash'),
      isDevice: value('isDevice'),
      gatewayPasswordHash: null,
      createdAt: value('now'),
      lastSeenAt: value('now'),
    })
    .onConflictDoUpdate({
      target: [devices.deviceId, devices.userId],
      set: {
        name: sql`excluded.name`,
        tokenHash: sql`excluded.token_hash`,
        isDevice: sql`excluded.is_device`,
        gatewayPasswordHash: null,
        createdAt: sql`excluded.created_at`,
        lastSeenAt: sql`excluded.last_seen_at`,
      },
    });
}

/** False if there were none. */
async function endPasswords(
  database: Database,
  { gatewayUser, gatewayPasswordHash }: typeof devices.$inferSelect,
): Promise<boolean> {
  const ended = await database
    .delete(gatewayPasswords)
    .where(eq(gatewayPasswords.gatewayUser, gatewayUser))
    .returning({ place: gatewayPasswords.place });
  return ended.length > 0 || gatewayPasswordHash !== null;
}

/**
 * If there is one device more than the plan allows, signs out the one that was not used for the longest time, which may
 * be lost. Returns the gateway user names of the devices it signed out.
 */
async function keepToDeviceLimit(
  database: Database,
  { deviceId, userId, now }: { deviceId: string; userId: string; now: Date },
): Promise<string[]> {
  const entitlement = await entitlementOfAccount(database, userId, now);
  const limit = entitlement?.devices ?? null;
  if (limit === null) return [];
  const others = and(eq(devices.userId, userId), eq(devices.isDevice, true), ne(devices.deviceId, deviceId));
  const tooMany = database
    .select({ gatewayUser: devices.gatewayUser })
    .from(devices)
    .where(others)
    .orderBy(desc(devices.lastSeenAt), devices.deviceId)
    .offset(Math.max(limit - 1, 0));
  const signedOut = await database
    .delete(devices)
    .where(inArray(devices.gatewayUser, tooMany))
    .returning({ gatewayUser: devices.gatewayUser });
  return signedOut.map(({ gatewayUser }) => gatewayUser);
}

const owners = alias(users, 'owners');

/** What an account may use now, read with one statement; undefined if there is no such account. */
async function entitlementOfAccount(
  database: Database,
  userId: string,
  now: Date,
): Promise<Entitlement | undefined> {
  const rows = await prepared(database, 'entitlement_of_account', () =>
    database
      .select({
        owner: {
          id: owners.id,
          firstOrderDone: owners.firstOrderDone,
          trialExpiredAt: owners.trialExpiredAt,
          trialTraffic: owners.trialTraffic,
        },
        period: entitlements,
      })
      .from(users)
      .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
      .leftJoin(entitlements, eq(entitlements.userId, owners.id))
      .where(eq(users.id, value('userId')))
      .orderBy(asc(entitlements.from)),
  ).execute({ userId });
  const [first] = rows;
  const periods = rows.flatMap(({ period }) => period ?? []);
  return first && entitlementOfRows({ user: { id: userId }, owner: first.owner }, periods, now);
}
