import { randomUUID } from 'node:crypto';
import type { Language } from '#shared/entities.ts';
import { and, desc, eq, inArray, ne, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { notifyAccounts } from '../database/account-changes.ts';
import { lockForText, type Database } from '../database/database.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { claimTrial } from './trial.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { devices, gatewayPasswords, traffic, users } from '../database/schema.ts';
import { storePasswords, type PlacePassword } from '../gateways/gateway-passwords.ts';

const hourMs = 3_600_000;
/** What an account has before it buys a plan. It has no name of its own that the operator gave it. */
export const trialPlanName: Readonly<Record<Language, string>> = {
  en: 'Trial',
  'zh-hans': '试用',
  'zh-hant': '試用',
};
export interface Trial {
  hours: number;
  /** Bytes; 0 means unlimited. */
  traffic: number;
}

/**
 * The id of the account with this email (in lower case), which is made if there is none: with a trial, unless trials
 * are of no hours or the person has had one.
 */
export async function findOrMakeAccount(
  database: Database,
  { email, now, trial, hash }: { email: string; now: Date; trial: Trial; hash: KeyedHash },
): Promise<string> {
  const [made] = await database
    .insert(users)
    .values({ email, createdAt: now, trialTraffic: trial.traffic })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  if (made) {
    if (trial.hours > 0 && (await claimTrial(database, { email, hash, now }))) {
      const trialExpiredAt = new Date(now.getTime() + trial.hours * hourMs);
      await database.update(users).set({ trialExpiredAt }).where(eq(users.id, made.id));
    }
    await database.insert(traffic).values({ userId: made.id });
    return made.id;
  }
  const [found] = await database.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (!found) throw new Error('an account vanished between two statements of a transaction');
  return found.id;
}

/**
 * Makes `device` one of the account's, with a new token; a former token of the device at this account ends, and with it
 * the passwords at gateways that came from it. Other accounts that the device is signed in to are not touched: an id of
 * a device is no secret. Says which devices that signed out at gateways, by their user names there.
 */
export async function signInDevice(
  database: Database,
  device: {
    deviceId: string;
    userId: string;
    name: string;
    tokenHash: string;
    passwords: readonly PlacePassword[];
    /** False for a browser. */
    isDevice: boolean;
    now: Date;
  },
): Promise<string[]> {
  const { now, deviceId, passwords, ...fields } = device;
  // One at a time, so that two accounts do not get the same user name at gateways.
  await lockForText(database, `device ${deviceId}`);
  const values = { ...fields, gatewayPasswordHash: null, createdAt: now, lastSeenAt: now };
  const nameIsTaken = await database.$count(devices, eq(devices.gatewayUser, deviceId));
  const gatewayUser = nameIsTaken > 0 ? randomUUID() : deviceId;
  const [row] = await database
    .insert(devices)
    .values({ deviceId, gatewayUser, ...values })
    .onConflictDoUpdate({ target: [devices.deviceId, devices.userId], set: values })
    .returning({ gatewayUser: devices.gatewayUser });
  if (!row) throw new Error('a device was not stored');
  await database.delete(gatewayPasswords).where(eq(gatewayPasswords.gatewayUser, row.gatewayUser));
  await storePasswords(database, row.gatewayUser, passwords);
  await notifyAccounts(database, 'devices', [device.userId]);
  return device.isDevice ? keepToDeviceLimit(database, device) : [];
}

/**
 * One device more than the plan allows signs out the one that was not used for longest, which may be lost. Says which,
 * by their user names at gateways.
 */
async function keepToDeviceLimit(
  database: Database,
  { deviceId, userId, now }: { deviceId: string; userId: string; now: Date },
): Promise<string[]> {
  const person = await planUser(database, userId);
  const limit = person && (await readEntitlement(database, person, now)).devices;
  if (limit === undefined || limit === null) return [];
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

/** A person, and whose plan they share; undefined if there is no such account. */
export async function planUser(database: Database, userId: string): Promise<PlanUser | undefined> {
  const [found] = await database
    .select({ user: users, owner: owners })
    .from(users)
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .where(eq(users.id, userId));
  return found;
}

/**
 * Makes members into users of their own again, with what they had before: devices, trial, an expired plan, their own
 * apps. Says who they were.
 */
export async function leaveGroup(database: Database, members: SQL | undefined): Promise<{ id: string }[]> {
  return database
    .update(users)
    .set({ level: sql`case when ${users.firstOrderDone} then 2 else 1 end`, payerId: null })
    .where(members)
    .returning({ id: users.id });
}
