import { and, asc, eq, gt } from 'drizzle-orm';
import { z } from 'zod';
import { leaveGroup } from '../account/account.ts';
import { isOpenInvitation, seatsToGive } from '../account/seats.ts';
import { lockFor, type Database } from '../database/database.ts';
import { invitations, plans, users } from '../database/schema.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { endInvitations } from './invitation-store.ts';

const invitationId = z.uuid();

/** What the invited person decides, and a member's leaving: nobody gets into a group, or stays, but by their own will. */
export function invitationHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  now: () => Date;
}): Pick<Handlers, 'invitations' | 'acceptInvitation' | 'declineInvitation' | 'leaveGroup'> {
  const { database, gateways } = options;
  return {
    async invitations({ device: { user } }) {
      const rows = await database
        .select({
          id: invitations.id,
          from: users.email,
          service: plans.service,
          expiresAt: invitations.expiresAt,
        })
        .from(invitations)
        .innerJoin(users, eq(users.id, invitations.payerId))
        .innerJoin(plans, eq(plans.userId, users.id))
        .where(and(eq(invitations.email, user.email), isOpenInvitation(options.now())))
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
        if (person.level === 3) return refused('in-a-group');
        if (await hasPlanOrMembers(transaction, person.id, now)) return refused('has-own-plan');
        const { payerId } = invitation;
        const members = await transaction.$count(users, eq(users.payerId, payerId));
        if (members >= (await seatsToGive(transaction, payerId, now))) return refused('group-full');
        await endInvitations(transaction, 'accepted', isTheirs);
        // Who is a member has no group to invite anybody to.
        await endInvitations(transaction, 'withdrawn', eq(invitations.payerId, person.id));
        await transaction.update(users).set({ level: 3, payerId }).where(eq(users.id, person.id));
        if (gateways) await publishGatewayAccess(transaction, gateways, now);
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
      const declined = await endInvitations(database, 'declined', isTheirs);
      return declined.length > 0 ? done(null) : refused('invitation-over');
    },

    async leaveGroup({ device: { user } }) {
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const left = await leaveGroup(transaction, and(eq(users.id, user.id), eq(users.level, 3)));
        if (left.length === 0) return refused('not-in-a-group');
        if (gateways) await publishGatewayAccess(transaction, gateways, options.now());
        return done(null);
      });
    },
  };
}

async function hasPlanOrMembers(database: Database, userId: string, now: Date): Promise<boolean> {
  const running = and(eq(plans.userId, userId), gt(plans.expiredAt, now));
  return (
    (await database.$count(plans, running)) > 0 ||
    (await database.$count(users, eq(users.payerId, userId))) > 0
  );
}
