import type { Language, Member } from '#shared/entities.ts';
import { readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { leaveGroup } from '../account/account.ts';
import type { Entitlements } from '../account/entitlements.ts';
import { countTakenSeats, seatsToGive } from '../account/seats.ts';
import { lockFor, type Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { invitations } from '../database/schema/group.ts';
import type { Handlers } from '../http/handler.ts';
import { pageOfRows, readCursor } from '../http/page.ts';
import type { AddJob } from '../jobs/jobs.ts';
import { done, refused, type Outcome } from '../http/refusal.ts';
import type { InvitationMail } from './invitation-mails.ts';
import { endInvitations, makeInvitation, notifyInvitation } from './invitation-store.ts';

/** A page of members ends at the email of its last member. */
const position = z.string().refine(isEmail);

/** The members (level 3) who share a user's plan, and the people who are invited. */
export function memberHandlers(options: {
  database: Database;
  entitlements: Entitlements;
  addMail: AddJob<InvitationMail>;
  now: () => Date;
}): Pick<Handlers, 'members' | 'addMember' | 'removeMember'> {
  const { database, entitlements, addMail } = options;

  /** What is refused here depends on what the payer has and has done, never on whether the address has an account. */
  const invite = (payerId: string, email: string, language: Language) =>
    database.transaction(async (transaction): Promise<Outcome<null>> => {
      await lockFor(transaction, 'groups');
      const now = options.now();
      const [payer] = await transaction.select().from(users).where(eq(users.id, payerId));
      if (!payer) return refused('not-signed-in');
      if (isMemberLevel(payer.level)) return refused('members-may-not');
      if (email === payer.email) return refused('own-email');
      const isOwnMember = and(eq(users.payerId, payerId), eq(users.email, email));
      if ((await transaction.$count(users, isOwnMember)) > 0) return refused('already-member');
      const seats = await seatsToGive(transaction, payer, now);
      if (seats === 0) return refused('no-seats');
      const taken = await countTakenSeats(transaction, { payerId, now, exceptEmail: email });
      if (taken >= seats) return refused('no-seat-left');
      const made = await makeInvitation(transaction, { payerId, email, now });
      if (!made.ok) return refused('too-many-invitations');
      await notifyInvitation(transaction, payerId, email);
      if (made.toMail !== undefined) await addMail(transaction, { id: made.toMail, language });
      return done(null);
    });

  return {
    async members({ page, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const cursor = readCursor(position, page.cursor);
      if (!cursor.ok) return refused('invalid-fields');
      const { after = '' } = cursor;
      const rows = await unionAll(
        database
          .select({
            email: users.email,
            expiresAt: sql<Date | null>`null::timestamptz`.mapWith(invitations.expiresAt).as('expires_at'),
            mailFailed: sql<boolean | null>`null::boolean`.as('mail_failed'),
          })
          .from(users)
          .where(and(eq(users.payerId, user.id), gt(users.email, after))),
        database
          .select({
            email: invitations.email,
            expiresAt: sql<Date | null>`${invitations.expiresAt}`
              .mapWith(invitations.expiresAt)
              .as('expires_at'),
            mailFailed: sql<boolean | null>`${invitations.mailFailed}`.as('mail_failed'),
          })
          .from(invitations)
          .where(
            and(
              eq(invitations.payerId, user.id),
              eq(invitations.state, 'open'),
              gt(invitations.email, after),
            ),
          ),
      )
        .orderBy(asc(sql`email`))
        .limit(page.limit + 1);
      return done(pageOfRows(rows, page.limit, { itemOf: memberOf, positionOf: ({ email }) => email }));
    },

    async addMember({ body, language, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      if (!isEmail(body.loginId)) return refused('invalid-email');
      const email = body.loginId.toLowerCase();
      return invite(user.id, email, language);
    },

    async removeMember({ params, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const email = readEmail(params.loginId).toLowerCase();
      if (!isEmail(email)) return refused('not-found');
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const toPerson = and(eq(invitations.payerId, user.id), eq(invitations.email, email));
        const withdrawn = await endInvitations(transaction, 'withdrawn', toPerson);
        const isMember = and(eq(users.email, email), eq(users.payerId, user.id));
        const removed = await leaveGroup(transaction, isMember);
        if (removed.length + withdrawn.length === 0) return refused('not-found');
        if (removed.length > 0) {
          await entitlements.changed(transaction, [user.id, ...removed.map(({ id }) => id)]);
        }
        if (withdrawn.length > 0) await notifyInvitation(transaction, user.id, email);
        return done(null);
      });
    },
  };
}

function memberOf(row: { email: string; expiresAt: Date | null; mailFailed: boolean | null }): Member {
  const { email, expiresAt, mailFailed } = row;
  const login = { loginId: email, loginType: 'email' } as const;
  if (expiresAt === null) return login;
  return { ...login, invitation: { expiresAt: expiresAt.toISOString(), mailFailed: mailFailed ?? false } };
}
