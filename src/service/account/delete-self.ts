import { and, eq, ne } from 'drizzle-orm';
import { leaveGroup } from './account.ts';
import { lockFor, type Database } from '../database/database.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import { rememberTrial } from './trial.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import { authCodes, invitations, orders, users } from '../database/schema.ts';

/** Erases an account and all that belongs to it; its members, if any, stay as users without a plan. */
export function deleteSelfHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  hash: KeyedHash;
  now: () => Date;
}): Pick<Handlers, 'deleteSelf'> {
  const { database, gateways, hash } = options;
  return {
    async deleteSelf({ device: { user } }) {
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        await leaveGroup(transaction, eq(users.payerId, user.id));
        // Open ones stay: they say nothing but what the payer wrote, and must not tell that the account is gone.
        const answered = and(eq(invitations.email, user.email), ne(invitations.state, 'open'));
        await transaction.delete(invitations).where(answered);
        await transaction.delete(authCodes).where(eq(authCodes.email, user.email));
        await transaction.delete(orders).where(eq(orders.email, user.email));
        // Accounts of earlier versions got theirs without that being remembered.
        if (user.trialExpiredAt)
          await rememberTrial(transaction, { email: user.email, hash, now: user.createdAt });
        // Devices, plan, traffic and apps go with the row they refer to.
        await transaction.delete(users).where(eq(users.id, user.id));
        if (gateways) await publishGatewayAccess(transaction, gateways, options.now());
        return done(null);
      });
    },
  };
}
