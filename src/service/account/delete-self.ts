import { randomUUID } from 'node:crypto';
import { and, eq, isNull, ne } from 'drizzle-orm';
import { leaveGroup } from './account.ts';
import { lockFor, type Database } from '../database/database.ts';
import type { Entitlements } from './entitlements.ts';
import { rememberTrial } from './trial.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { devices, users } from '../database/schema/account.ts';
import { orders } from '../database/schema/billing.ts';
import { invitations } from '../database/schema/group.ts';
import { authCodes } from '../database/schema/sign-in.ts';

/**
 * Erases an account and everything that belongs to it except payments, which are kept without a link to a person. Its
 * members, if any, stay as users without a plan.
 */
export function deleteSelfHandlers(options: {
  database: Database;
  entitlements: Entitlements;
  hash: KeyedHash;
}): Pick<Handlers, 'deleteSelf'> {
  const { database, entitlements, hash } = options;
  return {
    async deleteSelf({ device: { user, gatewayUser } }) {
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const [person] = await transaction.select().from(users).where(eq(users.id, user.id));
        if (!person) return refused('not-signed-in');
        const left = await leaveGroup(transaction, eq(users.payerId, user.id));
        // Open invitations stay: they contain only what the payer wrote, and removing them would reveal that the
        // account is gone.
        const answered = and(eq(invitations.email, user.email), ne(invitations.state, 'open'));
        await transaction.delete(invitations).where(answered);
        await transaction.delete(authCodes).where(eq(authCodes.email, user.email));
        const ordered = eq(orders.email, user.email);
        const neverBegun = and(isNull(orders.paidAt), isNull(orders.paymentBegunAt));
        await transaction.delete(orders).where(and(ordered, neverBegun));
        // Payments that were made, or may be in progress, stay in the books under a name that leads to nobody.
        await transaction
          .update(orders)
          .set({ email: `deleted-${randomUUID()}` })
          .where(ordered);
        // Earlier versions gave trials without remembering it.
        if (person.trialExpiredAt)
          await rememberTrial(transaction, { email: person.email, hash, now: person.createdAt });
        const known = await transaction
          .select({ gatewayUser: devices.gatewayUser })
          .from(devices)
          .where(eq(devices.userId, user.id));
        // Devices, traffic and apps are deleted with the row that they refer to; grants stay, without an account.
        await transaction.delete(users).where(eq(users.id, user.id));
        // Do not notify about the plan: asking for it, the app would find itself signed out before it has this answer.
        await entitlements.changed(transaction, [user.id], {
          change: 'devices',
          gatewayUsers: known.map((device) => device.gatewayUser),
          by: gatewayUser,
        });
        const groups = person.payerId === null ? [] : [person.payerId];
        await entitlements.changed(transaction, [...groups, ...left.map(({ id }) => id)]);
        return done(null);
      });
    },
  };
}
