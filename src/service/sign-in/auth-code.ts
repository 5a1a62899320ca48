import { randomInt, randomUUID } from 'node:crypto';
import {
  authCodeLength,
  authCodeLifetimeMinutes,
  authCodeMaxTries,
  resendCountdownSeconds,
} from '#shared/constants.ts';
import { and, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import { lockForText, type Database } from '../database/database.ts';
import { authCodes } from '../database/schema.ts';
import { sameHash, sha256 } from '../http/token.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * A stranger can have codes mailed to any address, and five guesses come with each. This many an hour leave
 * him a chance of 1 in 6,666 an hour, and do not stop an owner who mistypes.
 */
const maxCodesPerEmailPerHour = 30;

export type MadeAuthCode =
  | { ok: true; authId: string; code: string }
  | { ok: false; reason: 'code-just-sent' | 'too-many-codes' };

const hashCode = (authId: string, code: string) => sha256(`${authId}:${code}`);
const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** Makes a code for a device to sign in as `email` (in lower case); earlier unused ones of both end. */
export async function makeAuthCode(
  database: Database,
  { email, deviceId, now }: { email: string; deviceId: string; now: Date },
): Promise<MadeAuthCode> {
  await removeOldCodes(database, now);
  return database.transaction(async (transaction) => {
    await lockForText(transaction, email);
    const recent = await transaction
      .select({ deviceId: authCodes.deviceId, createdAt: authCodes.createdAt, usedAt: authCodes.usedAt })
      .from(authCodes)
      .where(and(eq(authCodes.email, email), gt(authCodes.createdAt, before(now, hourMs))));
    const resendFrom = before(now, resendCountdownSeconds * 1000);
    // After a code was used the next one is no resend, but a new sign-in.
    if (recent.some((code) => code.deviceId === deviceId && !code.usedAt && code.createdAt > resendFrom)) {
      return { ok: false, reason: 'code-just-sent' };
    }
    if (recent.length >= maxCodesPerEmailPerHour) return { ok: false, reason: 'too-many-codes' };
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
      codeHash: hashCode(authId, code),
      createdAt: now,
      expiresAt: new Date(now.getTime() + authCodeLifetimeMinutes * minuteMs),
    });
    return { ok: true, authId, code };
  });
}

/** Undoes `makeAuthCode` for a code that could not be mailed, so that the user may ask again at once. */
export async function withdrawAuthCode(database: Database, authId: string): Promise<void> {
  await database.delete(authCodes).where(eq(authCodes.authId, authId));
}

/**
 * Counts one try, and says whose code it is if it is right and may still be used. The count is raised in the
 * same statement that tests it, so that tries side by side cannot be more than allowed.
 */
export async function tryAuthCode(
  database: Database,
  attempt: { authId: string; code: string; deviceId: string; now: Date },
): Promise<{ email: string } | undefined> {
  const [found] = await database
    .update(authCodes)
    .set({ tries: sql`${authCodes.tries} + 1` })
    .where(
      and(
        eq(authCodes.authId, attempt.authId),
        eq(authCodes.deviceId, attempt.deviceId),
        lt(authCodes.tries, authCodeMaxTries),
        gt(authCodes.expiresAt, attempt.now),
        isNull(authCodes.usedAt),
      ),
    )
    .returning({ email: authCodes.email, codeHash: authCodes.codeHash });
  const right = found && sameHash(found.codeHash, hashCode(attempt.authId, attempt.code));
  return right ? { email: found.email } : undefined;
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
