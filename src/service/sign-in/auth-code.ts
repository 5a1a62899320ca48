import { randomInt, randomUUID } from 'node:crypto';
import {
  authCodeLength,
  authCodeLifetimeMinutes,
  authCodeMaxTries,
  resendCountdownSeconds,
} from '#shared/constants.ts';
import { and, eq, exists, gt, inArray, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { lockForText, type Database } from '../database/database.ts';
import { prepared, preparedRows } from '../database/prepared.ts';
import { devices, users } from '../database/schema/account.ts';
import { authCodes } from '../database/schema/sign-in.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { sameText } from '../http/token.ts';

const value = sql.placeholder;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What the account knows about a device that asks for a code, and whether it has just asked. */
export interface AskingDevice {
  isKnown: boolean;
  hasJustAsked: boolean;
}

/** There are only a million codes, so a hash without a key would reveal the code. */
const hashCode = (hash: KeyedHash, authId: string, code: string) => hash('sign-in code', `${authId}:${code}`);
const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** What is known about a device that asks for a code to sign in as `email` (in lower case). */
export async function askingDevice(
  database: Database,
  { email, deviceId, now }: { email: string; deviceId: string; now: Date },
): Promise<AskingDevice> {
  const statement = () => {
    const ownDevices = database
      .select({ id: devices.deviceId })
      .from(devices)
      .innerJoin(users, eq(users.id, devices.userId))
      .where(and(eq(devices.deviceId, value('deviceId')), eq(users.email, value('email'))));
    return sql`select ${exists(ownDevices)} as "isKnown", ${exists(justAsked(database))} as "hasJustAsked"`;
  };
  const [device] = await preparedRows<{ isKnown: boolean; hasJustAsked: boolean }>(
    database,
    'asking_device',
    statement,
    { email, deviceId, now, resendFrom: resendFrom(now) },
  );
  if (!device) throw new Error('a SELECT without a table gave no row');
  return device;
}

/**
 * Codes that are too recent to send another. After a code was used, the next one is not a resend but a new sign-in; nor
 * does one count that is later than now, from before the clock was set back.
 */
function justAsked(database: Database) {
  const isRecent = and(gt(authCodes.createdAt, value('resendFrom')), lte(authCodes.createdAt, value('now')));
  return database
    .select({ authId: authCodes.authId })
    .from(authCodes)
    .where(and(ofAsking, isNull(authCodes.usedAt), isRecent));
}

const ofAsking = and(eq(authCodes.email, value('email')), eq(authCodes.deviceId, value('deviceId')));
const resendFrom = (now: Date) => before(now, resendCountdownSeconds * 1000);

/**
 * Creates a code with which a device can sign in as `email` (in lower case); earlier unused codes for both become
 * invalid. Undefined if one was created within the last minute.
 */
export async function makeAuthCode(
  database: Database,
  asked: { email: string; deviceId: string; isKnownDevice: boolean; now: Date; hash: KeyedHash },
): Promise<{ authId: string; code: string } | undefined> {
  const { email, deviceId, isKnownDevice, now, hash } = asked;
  const asking = { email, deviceId, now, resendFrom: resendFrom(now) };
  await removeOldCodes(database, now);
  return database.transaction(async (transaction) => {
    await lockForText(transaction, email);
    const recent = prepared(transaction, 'recent_code', () => justAsked(transaction).limit(1));
    if ((await recent.execute(asking)).length > 0) return undefined;
    await prepared(transaction, 'end_codes', () =>
      transaction
        .update(authCodes)
        .set({ expiresAt: sql`${value('now')}` })
        .where(and(ofAsking, gt(authCodes.expiresAt, value('now')))),
    ).execute(asking);
    const authId = randomUUID();
    const code = String(randomInt(10 ** authCodeLength)).padStart(authCodeLength, '0');
    await prepared(transaction, 'insert_code', () =>
      transaction.insert(authCodes).values({
        authId: value('authId'),
        email: value('email'),
        deviceId: value('deviceId'),
        isKnownDevice: value('isKnownDevice'),
        codeHash: value('codeHash'),
        createdAt: value('now'),
        expiresAt: value('expiresAt'),
      }),
    ).execute({
      ...asking,
      authId,
      isKnownDevice,
      codeHash: hashCode(hash, authId, code),
      expiresAt: new Date(now.getTime() + authCodeLifetimeMinutes * minuteMs),
    });
    return { authId, code };
  });
}

/** Undoes `makeAuthCode` for a code that could not be mailed, so that the user can ask again at once. */
export async function withdrawAuthCode(database: Database, authId: string): Promise<void> {
  await database.delete(authCodes).where(eq(authCodes.authId, authId));
}

interface Attempt {
  authId: string;
  deviceId: string;
  now: Date;
}

/** Only the device that asked for a code can use it, as long as it has tries left. */
const canBeTried = and(
  eq(authCodes.authId, value('authId')),
  eq(authCodes.deviceId, value('deviceId')),
  lt(authCodes.tries, authCodeMaxTries),
  gt(authCodes.expiresAt, value('now')),
  isNull(authCodes.usedAt),
);

/** What a code that can be tried was created for; undefined if there is none. */
export async function findTriableCode(
  database: Database,
  { authId, deviceId, now }: Attempt,
): Promise<{ email: string; isKnownDevice: boolean } | undefined> {
  const [found] = await prepared(database, 'triable_code', () =>
    database
      .select({ email: authCodes.email, isKnownDevice: authCodes.isKnownDevice })
      .from(authCodes)
      .where(canBeTried),
  ).execute({ authId, deviceId, now });
  return found;
}

/**
 * Counts one try, and returns whether it is right. One statement both checks and raises the count, so that concurrent
 * tries cannot exceed the limit.
 */
export async function tryAuthCode(
  database: Database,
  { authId, deviceId, code, now, hash }: Attempt & { code: string; hash: KeyedHash },
): Promise<boolean> {
  const [found] = await prepared(database, 'try_code', () =>
    database
      .update(authCodes)
      .set({ tries: sql`${authCodes.tries} + 1` })
      .where(canBeTried)
      .returning({ codeHash: authCodes.codeHash }),
  ).execute({ authId, deviceId, now });
  return found !== undefined && sameText(found.codeHash, hashCode(hash, authId, code));
}

/** Marks a code as used; false if another request was first. */
export async function useAuthCode(database: Database, authId: string, now: Date): Promise<boolean> {
  const used = await prepared(database, 'use_code', () =>
    database
      .update(authCodes)
      .set({ usedAt: sql`${value('now')}` })
      .where(and(eq(authCodes.authId, value('authId')), isNull(authCodes.usedAt)))
      .returning({ authId: authCodes.authId }),
  ).execute({ authId, now });
  return used.length === 1;
}

/**
 * Also those from before the clock was set back, which would be valid for as long. Rows that two processes would both
 * delete are skipped by one of them, because waiting for each other could deadlock.
 */
async function removeOldCodes(database: Database, now: Date): Promise<void> {
  await prepared(database, 'delete_old_codes', () => {
    const old = database
      .select({ authId: authCodes.authId })
      .from(authCodes)
      .where(or(lt(authCodes.createdAt, value('oldest')), gt(authCodes.createdAt, value('latest'))))
      .for('update', { skipLocked: true });
    return database.delete(authCodes).where(inArray(authCodes.authId, old));
  }).execute({ oldest: before(now, hourMs), latest: before(now, -hourMs) });
}
