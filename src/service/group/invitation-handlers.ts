import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { z } from 'zod';
import { leaveGroup } from '../account/account.ts';
import type { Entitlements } from '../account/entitlements.ts';
import { seatsToGive } from '../account/seats.ts';
import { notifyAccounts } from '../database/account-changes.ts';
import { lockFor, type Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { entitlements as periods } from '../database/schema/entitlements.ts';
import { invitations } from '../database/schema/group.ts';
import { readEntitlement } from '../database/entitlement-rows.ts';
import { isOpenInvitation } from '../database/seat-counts.ts';
import type { UserRow } from '../http/device-authentication.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { endInvitations } from './invitation-store.ts';

const invitationId = z.uuid();

/** The invited person's decisions, and leaving a group: people join and stay only if they want to. */
export function invitationHandlers(options: {
  database: Database;
  entitlements: Entitlements;
  now: () => Date;
}): Pick<Handlers, 'invitations' | 'acceptInvitation' | 'declineInvitation' | 'leaveGroup'> {
  const { database, entitlements } = options;
  return {
    async invitations({ device: { user } }) {
      const now = options.now();
      const rows = await database
        .select({
          id: invitations.id,
          from: users.email,
          service: periods.service,
          expiresAt: invitations.expiresAt,
        })
        .from(invitations)
        .innerJoin(users, eq(users.id, invitations.payerId))
        // Without a current plan there is nothing to share.
        .innerJoin(periods, and(eq(periods.userId, users.id), lte(periods.from, now), gt(periods.to, now)))
        .where(and(eq(invitations.email, user.email), isOpenInvitation(now)))
        .orderBy(asc(invitations.createdAt), asc(invitations.id));
      return done({ items: rows.map((row) => ({ ...row, expiresAt: row.expiresAt.toISOString() })) });
    },

    async acceptInvitation({ params, device }) {
      const id = invitationId.safeParse(params.id);
      if (!id.success) return refused('invitation-over');
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const now = options.now();
        const [person] = await transaction.select().from(users).where(eq(users.id, device.user.id));
        if (!person) return refused('not-signed-in');
        const isTheirs = and(
          eq(invitations.id, id.data),
          eq(invitations.email, person.email),
          isOpenInvitation(now),
        );
        const [invitation] = await transaction.select().from(invitations).where(isTheirs);
        if (!invitation) return refused('invitation-over');
        if (isMemberLevel(person.level)) return refused('in-a-group');
        if (await hasPlanOrMembers(transaction, person, now)) return refused('has-own-plan');
        const { payerId } = invitation;
        const members = await transaction.$count(users, eq(users.payerId, payerId));
        const [payer] = await transaction.select().from(users).where(eq(users.id, payerId));
        if (!payer || members >= (await seatsToGive(transaction, payer, now))) return refused('group-full');
        const accepted = await endInvitations(transaction, 'accepted', isTheirs);
        // It was declined or withdrawn meanwhile; those calls take no lock.
        if (accepted.length === 0) return refused('invitation-over');
        // Members have no group to invite anybody to.
        await endInvitations(transaction, 'withdrawn', eq(invitations.payerId, person.id));
        await transaction.update(users).set({ level: 3, payerId }).where(eq(users.id, person.id));
        await entitlements.changed(transaction, [payerId, person.id]);
        await notifyAccounts(transaction, 'invitations', [payerId, person.id]);
        return done(null);
      });
    },

    async declineInvitation({ params, device: { user } }) {
      const id = invitationId.safeParse(params.id);
      if (!id.success) return refused('invitation-over');
      const now = options.now();
      const isTheirs = and(
        eq(invitations.id, id.data),
        eq(invitations.email, user.email),
        isOpenInvitation(now),
      );
      return database.transaction(async (transaction) => {
        const [declined] = await endInvitations(transaction, 'declined', isTheirs);
        if (!declined) return refused('invitation-over');
        await notifyAccounts(transaction, 'invitations', [user.id, declined.payerId]);
        return done(null);
      });
    },

    async leaveGroup({ device: { user, owner } }) {
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const left = await leaveGroup(transaction, and(eq(users.id, user.id), eq(users.level, 3)));
        if (left.length === 0) return refused('not-in-a-group');
        await entitlements.changed(transaction, [user.id, owner.id]);
        return done(null);
      });
    },
  };
}

async function hasPlanOrMembers(database: Database, person: UserRow, now: Date): Promise<boolean> {
  const { plan } = await readEntitlement(database, { user: person, owner: person }, now);
  return plan?.runs === true || (await database.$count(users, eq(users.payerId, person.id))) > 0;
}
