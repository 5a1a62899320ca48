import { invitationLifetimeDays } from '#shared/constants.ts';
import { and, eq, gt, lt, lte, inArray, type SQL } from 'drizzle-orm';
import { isOpenInvitation } from '../database/seat-counts.ts';
import { notifyAccounts } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { invitations, type InvitationState } from '../database/schema/group.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * An invitation that is over is kept for the same time again, so that mails can be counted and the payer sees that it
 * expired.
 */
const keptDays = 2 * invitationLifetimeDays;
/** Invitations send mail to strangers. This limits it, and still fills a group. */
const maxInvitationsPerPayerPerDay = 20;
/**
 * However many people invite one person, that person gets no more mails than this in a day; the app shows all
 * invitations.
 */
const maxMailsPerAddressPerDay = 3;

export type InvitationRow = typeof invitations.$inferSelect;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** What is later than now is from before the clock was set back, and counts no more. */
const isMadeWithin = (ms: number, now: Date) =>
  and(gt(invitations.createdAt, before(now, ms)), lte(invitations.createdAt, now));

export type MadeInvitation = { ok: true; toMail: string | undefined } | { ok: false };

/**
 * Invites an address (in lower case) to the payer's group, or repeats an earlier invitation. `toMail`: the id of the
 * invitation if a mail should be sent. Not ok if the payer has reached today's limit.
 */
export async function makeInvitation(
  transaction: Database,
  { payerId, email, now }: { payerId: string; email: string; now: Date },
): Promise<MadeInvitation> {
  await removeOldInvitations(transaction, now);
  const ofPayer = eq(invitations.payerId, payerId);
  const toPerson = and(ofPayer, eq(invitations.email, email));
  // A double click, or a network that lost the answer and sent the request again.
  const justMade = and(toPerson, isOpenInvitation(now), isMadeWithin(minuteMs, now));
  if ((await transaction.$count(invitations, justMade)) > 0) return { ok: true, toMail: undefined };
  const today = isMadeWithin(dayMs, now);
  if ((await transaction.$count(invitations, and(ofPayer, today))) >= maxInvitationsPerPayerPerDay) {
    return { ok: false };
  }
  const mailedToday = and(eq(invitations.email, email), eq(invitations.isMailed, true), today);
  const mails = await transaction.$count(invitations, mailedToday);
  const declined = await transaction.$count(invitations, and(toPerson, eq(invitations.state, 'declined')));
  // After declining, a person gets no more mail from the same payer.
  const isMailed = mails < maxMailsPerAddressPerDay && declined === 0;
  await endInvitations(transaction, 'withdrawn', toPerson);
  const expiresAt = new Date(now.getTime() + invitationLifetimeDays * dayMs);
  const [made] = await transaction
    .insert(invitations)
    .values({ payerId, email, isMailed, createdAt: now, expiresAt })
    .returning({ id: invitations.id });
  return { ok: true, toMail: isMailed ? made?.id : undefined };
}

/** Ends open invitations, including expired ones; returns them. */
export async function endInvitations(
  transaction: Database,
  state: Exclude<InvitationState, 'open'>,
  which: SQL | undefined,
): Promise<InvitationRow[]> {
  return transaction
    .update(invitations)
    .set({ state })
    .where(and(eq(invitations.state, 'open'), which))
    .returning();
}

/** Notifies the inviting and the invited person, if they have accounts, that an invitation was made or is over. */
export async function notifyInvitation(transaction: Database, payerId: string, email: string): Promise<void> {
  const invited = await transaction.select({ id: users.id }).from(users).where(eq(users.email, email));
  await notifyAccounts(transaction, 'invitations', [payerId, ...invited.map(({ id }) => id)]);
}

/**
 * Rows that two processes would both delete are skipped by one of them, because waiting for each other could deadlock.
 */
async function removeOldInvitations(transaction: Database, now: Date): Promise<void> {
  const old = transaction
    .select({ id: invitations.id })
    .from(invitations)
    .where(lt(invitations.createdAt, before(now, keptDays * dayMs)))
    .for('update', { skipLocked: true });
  await transaction.delete(invitations).where(inArray(invitations.id, old));
}
