import { randomUUID } from 'node:crypto';
import { and, eq, isNull, ne } from 'drizzle-orm';
import { leaveGroup } from './account.ts';
import { lockFor, type Database } from '../database/database.ts';
import type { Entitlements } from './entitlement.ts';
import { rememberTrial } from './trial.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { devices, users } from '../database/schema/account.ts';
import { orders } from '../database/schema/billing.ts';
import { invitations } from '../database/schema/group.ts';
import { authCodes } from '../database/schema/sign-in.ts';

/** Erases an account and all that belongs to it but what was paid, which is nobody's then; its members, if any, stay as users without a plan. */
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
        // Open ones stay: they say nothing but what the payer wrote, and must not tell that the account is gone.
        const answered = and(eq(invitations.email, user.email), ne(invitations.state, 'open'));
        await transaction.delete(invitations).where(answered);
        await transaction.delete(authCodes).where(eq(authCodes.email, user.email));
        const ordered = eq(orders.email, user.email);
        const neverBegun = and(isNull(orders.paidAt), isNull(orders.paymentBegunAt));
        await transaction.delete(orders).where(and(ordered, neverBegun));
        // What was paid, or may be in this moment, stays in the books, under a name that leads to nobody.
        await transaction
          .update(orders)
          .set({ email: `deleted-${randomUUID()}` })
          .where(ordered);
        // Accounts of earlier versions got theirs without that being remembered.
        if (person.trialExpiredAt)
          await rememberTrial(transaction, { email: person.email, hash, now: person.createdAt });
        const known = await transaction
          .select({ gatewayUser: devices.gatewayUser })
          .from(devices)
          .where(eq(devices.userId, user.id));
        // Devices, traffic and apps go with the row they refer to; grants stay, as nobody's.
        await transaction.delete(users).where(eq(users.id, user.id));
        // Of its plan nothing is said: asking for it, the app would find itself signed out before it has this answer.
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
