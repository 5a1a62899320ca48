import { randomInt, randomUUID } from 'node:crypto';
import {
  authCodeLength,
  authCodeLifetimeMinutes,
  authCodeMaxTries,
  resendCountdownSeconds,
} from '#shared/constants.ts';
import { and, eq, exists, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import { lockForText, rowsOf, type Database } from '../database/database.ts';
import { authCodes, devices, users } from '../database/schema.ts';
import { sameHash, sha256 } from '../http/token.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What a device that asks for a code is to the account, and whether it has just asked. */
export interface AskingDevice {
  isKnown: boolean;
  hasJustAsked: boolean;
}

const hashCode = (authId: string, code: string) => sha256(`${authId}:${code}`);
const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** What is known of a device that asks for a code to sign in as `email` (in lower case). */
export async function askingDevice(
  database: Database,
  of: { email: string; deviceId: string; now: Date },
): Promise<AskingDevice> {
  const ownDevices = database
    .select({ id: devices.deviceId })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .where(and(eq(devices.deviceId, of.deviceId), eq(users.email, of.email)));
  const [device] = await rowsOf<{ isKnown: boolean; hasJustAsked: boolean }>(
    database,
    sql`select ${exists(ownDevices)} as "isKnown", ${exists(justAsked(database, of))} as "hasJustAsked"`,
  );
  if (!device) throw new Error('a SELECT without a table gave no row');
  return device;
}

/** The codes that are too fresh to send another. After a code was used the next one is no resend, but a new sign-in. */
function justAsked(database: Database, of: { email: string; deviceId: string; now: Date }) {
  const resendFrom = before(of.now, resendCountdownSeconds * 1000);
  const unused = and(
    eq(authCodes.email, of.email),
    eq(authCodes.deviceId, of.deviceId),
    isNull(authCodes.usedAt),
  );
  return database
    .select({ authId: authCodes.authId })
    .from(authCodes)
    .where(and(unused, gt(authCodes.createdAt, resendFrom)));
}

/**
 * Makes a code for a device to sign in as `email` (in lower case); earlier unused ones of both end. Undefined if it
 * got one within the last minute.
 */
export async function makeAuthCode(
  database: Database,
  asked: { email: string; deviceId: string; isKnownDevice: boolean; now: Date },
): Promise<{ authId: string; code: string } | undefined> {
  const { email, deviceId, isKnownDevice, now } = asked;
  await removeOldCodes(database, now);
  return database.transaction(async (transaction) => {
    await lockForText(transaction, email);
    const [recent] = await justAsked(transaction, asked).limit(1);
    if (recent) return undefined;
    await transaction
      .update(authCodes)
      .set({ expiresAt: now })
      .where(and(eq(authCodes.email, email), eq(authCodes.deviceId, deviceId), gt(authCodes.expiresAt, now)));
    const authId = randomUUID();
    const code = String(randomInt(10 ** authCodeLength)).padStart(authCodeLength, '0');
    await transaction.insert(authCodes).values({
      authId,
      email,
      deviceId,
      isKnownDevice,
      codeHash: hashCode(authId, code),
      createdAt: now,
      expiresAt: new Date(now.getTime() + authCodeLifetimeMinutes * minuteMs),
    });
    return { authId, code };
  });
}

/** Undoes `makeAuthCode` for a code that could not be mailed, so that the user may ask again at once. */
export async function withdrawAuthCode(database: Database, authId: string): Promise<void> {
  await database.delete(authCodes).where(eq(authCodes.authId, authId));
}

interface Attempt {
  authId: string;
  deviceId: string;
  now: Date;
}

/** Only the device that asked for a code can use it, while it may still be tried. */
const canBeTried = (attempt: Attempt) =>
  and(
    eq(authCodes.authId, attempt.authId),
    eq(authCodes.deviceId, attempt.deviceId),
    lt(authCodes.tries, authCodeMaxTries),
    gt(authCodes.expiresAt, attempt.now),
    isNull(authCodes.usedAt),
  );

/** What a code that may be tried was made for; undefined if there is none. */
export async function findTriableCode(
  database: Database,
  attempt: Attempt,
): Promise<{ email: string; isKnownDevice: boolean } | undefined> {
  const [found] = await database
    .select({ email: authCodes.email, isKnownDevice: authCodes.isKnownDevice })
    .from(authCodes)
    .where(canBeTried(attempt));
  return found;
}

/**
 * Counts one try, and says whether it is right. The count is raised in the same statement that tests it, so that tries
 * side by side cannot be more than allowed.
 */
export async function tryAuthCode(database: Database, attempt: Attempt & { code: string }): Promise<boolean> {
  const [found] = await database
    .update(authCodes)
    .set({ tries: sql`${authCodes.tries} + 1` })
    .where(canBeTried(attempt))
    .returning({ codeHash: authCodes.codeHash });
  return found !== undefined && sameHash(found.codeHash, hashCode(attempt.authId, attempt.code));
}

/** Marks a code as used; false if another request was first. */
export async function useAuthCode(database: Database, authId: string, now: Date): Promise<boolean> {
  const used = await database
    .update(authCodes)
    .set({ usedAt: now })
    .where(and(eq(authCodes.authId, authId), isNull(authCodes.usedAt)))
    .returning({ authId: authCodes.authId });
  return used.length === 1;
}

/** Rows that two processes would both delete are skipped by one, as waiting for each other could deadlock. */
async function removeOldCodes(database: Database, now: Date): Promise<void> {
  const old = database
    .select({ authId: authCodes.authId })
    .from(authCodes)
    .where(lt(authCodes.createdAt, before(now, hourMs)))
    .for('update', { skipLocked: true });
  await database.delete(authCodes).where(inArray(authCodes.authId, old));
}
