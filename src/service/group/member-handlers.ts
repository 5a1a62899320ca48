import { isEmail } from '#shared/validation.ts';
import { and, asc, eq, gt } from 'drizzle-orm';
import { findOrMakeAccount, leaveGroup } from '../account/account.ts';
import { lockFor, type Database } from '../database/database.ts';
import type { UserRow } from '../http/device-authentication.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused, type RefusalReason } from '../http/refusal.ts';
import { devices, plans, users } from '../database/schema.ts';

/** The members (level 3) who share a user's plan; a member has none. */
export function memberHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  now: () => Date;
}): Pick<Handlers, 'members' | 'addMember' | 'removeMember'> {
  const { database, gateways } = options;
  return {
    async members({ device: { user } }) {
      if (user.level === 3) return refused('members-may-not');
      const rows = await database
        .select({ email: users.email })
        .from(users)
        .where(eq(users.payerId, user.id))
        .orderBy(asc(users.email));
      return done({ items: rows.map(({ email }) => ({ loginId: email, loginType: 'email' as const })) });
    },

    async addMember({ body, device }) {
      if (device.user.level === 3) return refused('members-may-not');
      if (!isEmail(body.loginId)) return refused('invalid-email');
      const email = body.loginId.toLowerCase();
      const now = options.now();
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const [payer] = await transaction.select().from(users).where(eq(users.id, device.user.id));
        if (!payer) return refused('not-signed-in');
        const [existing] = await transaction.select().from(users).where(eq(users.email, email));
        const reason = await reasonNotToAdd(transaction, payer, existing, now);
        if (reason) return refused(reason);
        const id = existing?.id ?? (await findOrMakeAccount(transaction, { email, now, trialHours: 0 }));
        await transaction.update(users).set({ level: 3, payerId: payer.id }).where(eq(users.id, id));
        if (gateways) await publishGatewayAccess(transaction, gateways, now);
        return done(null);
      });
    },

    async removeMember({ params, device: { user } }) {
      if (user.level === 3) return refused('members-may-not');
      if (!isEmail(params.loginId)) return refused('not-found');
      const isMember = and(eq(users.email, params.loginId.toLowerCase()), eq(users.payerId, user.id));
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const [removed] = await leaveGroup(transaction, isMember);
        if (!removed) return refused('not-found');
        await transaction.delete(devices).where(eq(devices.userId, removed.id));
        if (gateways) await publishGatewayAccess(transaction, gateways, options.now());
        return done(null);
      });
    },
  };
}

/** Why `person` (undefined if the email has no account yet) cannot become a member of the payer's group. */
async function reasonNotToAdd(
  database: Database,
  payer: UserRow,
  person: UserRow | undefined,
  now: Date,
): Promise<RefusalReason | undefined> {
  if (payer.level === 3) return 'members-may-not';
  if (person?.id === payer.id) return 'own-email';
  if (person?.level === 3) return 'already-member';
  if (person && (await hasPlanOrMembers(database, person.id, now))) return 'has-own-plan';
  const [plan] = await database.select({ seats: plans.seats }).from(plans).where(eq(plans.userId, payer.id));
  const taken = await database.$count(users, eq(users.payerId, payer.id));
  return taken < (plan?.seats ?? 0) ? undefined : 'no-seat-left';
}

async function hasPlanOrMembers(database: Database, userId: string, now: Date): Promise<boolean> {
  const running = and(eq(plans.userId, userId), gt(plans.expiredAt, now));
  return (
    (await database.$count(plans, running)) > 0 ||
    (await database.$count(users, eq(users.payerId, userId))) > 0
  );
}
