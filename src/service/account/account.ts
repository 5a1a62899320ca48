import { randomUUID } from 'node:crypto';
import type { Language } from '#shared/entities.ts';
import { and, desc, eq, inArray, ne, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { notifyAccounts } from '../database/account-changes.ts';
import { lockForText, type Database } from '../database/database.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { claimTrial } from './trial.ts';
import { readEntitlement, type PlanUser } from '../database/entitlement-rows.ts';
import { devices, gatewayPasswords, traffic, users } from '../database/schema.ts';

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

async function findAccount(database: Database, email: string): Promise<string | undefined> {
  const [found] = await database.select({ id: users.id }).from(users).where(eq(users.email, email));
  return found?.id;
}

/**
 * The id of the account with this email (in lower case), which is made if there is none: with a trial, unless trials
 * are of no hours or the person has had one.
 */
export async function findOrMakeAccount(
  database: Database,
  { email, now, trial, hash }: { email: string; now: Date; trial: Trial; hash: KeyedHash },
): Promise<string> {
  const before = await findAccount(database, email);
  if (before !== undefined) return before;
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
  // Somebody else made it meanwhile.
  const found = await findAccount(database, email);
  if (found === undefined) throw new Error('an account vanished between two statements of a transaction');
  return found;
}

/**
 * Makes `device` one of the account's, with a new token; a former token of the device at this account ends, and with it
 * the passwords at gateways that came from it. Other accounts that the device is signed in to are not touched: an id of
 * a device is no secret. Says which devices that signed out at gateways, by their user names there. Its new passwords
 * are made when it asks for them.
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
  const { now, deviceId, ...fields } = device;
  // One at a time, so that two accounts do not get the same user name at gateways.
  await lockForText(database, `device ${deviceId}`);
  const values = { ...fields, gatewayPasswordHash: null, createdAt: now, lastSeenAt: now };
  const known = await database
    .select()
    .from(devices)
    .where(or(eq(devices.deviceId, deviceId), eq(devices.gatewayUser, deviceId)));
  const before = known.find((one) => one.deviceId === deviceId && one.userId === device.userId);
  const gatewayUser = known.some((one) => one.gatewayUser === deviceId) ? randomUUID() : deviceId;
  await database
    .insert(devices)
    .values({ deviceId, gatewayUser, ...values })
    .onConflictDoUpdate({ target: [devices.deviceId, devices.userId], set: values });
  const isOut = before !== undefined && (await endPasswords(database, before));
  await notifyAccounts(database, 'devices', [device.userId]);
  const tooMany = device.isDevice ? await keepToDeviceLimit(database, device) : [];
  return isOut ? [before.gatewayUser, ...tooMany] : tooMany;
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
