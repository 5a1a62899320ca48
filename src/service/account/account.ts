import type { Language } from '#shared/entities.ts';
import { eq, sql, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { claimTrial } from './trial.ts';
import { devices, plans, traffic, users } from '../database/schema.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What an account has before it buys a plan. It has no name of its own that the operator gave it. */
export const trialPlanName: Readonly<Record<Language, string>> = {
  en: 'Trial',
  'zh-hans': '试用',
  'zh-hant': '試用',
};
const trialPlan = { service: trialPlanName.en, seats: 0 } as const;

/**
 * The id of the account with this email (in lower case), which is made if there is none: with a trial, unless trials
 * are of no hours or the person has had one.
 */
export async function findOrMakeAccount(
  database: Database,
  { email, now, trialHours, hash }: { email: string; now: Date; trialHours: number; hash: KeyedHash },
): Promise<string> {
  const [made] = await database
    .insert(users)
    .values({ email, createdAt: now })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  if (made) {
    if (trialHours > 0 && (await claimTrial(database, { email, hash, now }))) {
      const trialExpiredAt = new Date(now.getTime() + trialHours * hourMs);
      await database.update(users).set({ trialExpiredAt }).where(eq(users.id, made.id));
    }
    await database.insert(plans).values({ userId: made.id, ...trialPlan });
    await database.insert(traffic).values({ userId: made.id });
    return made.id;
  }
  const [found] = await database.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (!found) throw new Error('an account vanished between two statements of a transaction');
  return found.id;
}

/** Makes `device` one of the account's, with a new token; a former token of the device ends. */
export async function signInDevice(
  database: Database,
  device: {
    deviceId: string;
    userId: string;
    name: string;
    tokenHash: string;
    gatewayPasswordHash: string | null;
    now: Date;
  },
): Promise<void> {
  const { now, deviceId, ...fields } = device;
  const values = { ...fields, createdAt: now, lastSeenAt: now };
  await database
    .insert(devices)
    .values({ deviceId, ...values })
    .onConflictDoUpdate({ target: devices.deviceId, set: values });
}

/** What was bought: so many days of a plan, and its seats. */
export interface PlanPurchase {
  service: string;
  days: number;
  seats: number;
}

/** Adds what was bought to the plan of a user, who is a payer from now on; the time left is kept. */
export async function extendPlan(
  database: Database,
  userId: string,
  { service, days, seats }: PlanPurchase,
  now: Date,
): Promise<void> {
  const [plan] = await database.select().from(plans).where(eq(plans.userId, userId)).for('update');
  if (!plan) throw new Error('an account without a plan');
  const from = Math.max(now.getTime(), plan.expiredAt?.getTime() ?? 0);
  const expiredAt = new Date(from + days * dayMs);
  await database.update(plans).set({ service, seats, expiredAt }).where(eq(plans.userId, userId));
  await database.update(users).set({ level: 2, firstOrderDone: true }).where(eq(users.id, userId));
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
