import type { Language } from '#shared/entities.ts';
import { eq, sql, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { prepared } from '../database/prepared.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { claimTrial } from './trial.ts';
import { users } from '../database/schema/account.ts';
import { traffic } from '../database/schema/gateways.ts';

const value = sql.placeholder;

const hourMs = 3_600_000;
/** The name of an account's plan before it buys one. The operator has not named it. */
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

/** Locked, so that it is not deleted before what comes of this sign-in refers to it. */
async function findAccount(database: Database, email: string): Promise<string | undefined> {
  const [found] = await prepared(database, 'account', () =>
    database
      .select({ id: users.id })
      .from(users)
      .where(eq(users.email, value('email')))
      .for('key share'),
  ).execute({ email });
  return found?.id;
}

/**
 * The id of the account with this email (in lower case), which is created if there is none. A new account gets a trial,
 * unless trials have zero hours or the person has had one.
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
  // Another request created it meanwhile.
  const found = await findAccount(database, email);
  if (found === undefined) throw new Error('an account vanished between two statements of a transaction');
  return found;
}

/**
 * Turns members back into independent users, with what they had before: devices, trial, an expired plan, their own
 * apps. Returns them.
 */
export async function leaveGroup(database: Database, members: SQL | undefined): Promise<{ id: string }[]> {
  return database
    .update(users)
    .set({ level: sql`case when ${users.firstOrderDone} then 2 else 1 end`, payerId: null })
    .where(members)
    .returning({ id: users.id });
}
