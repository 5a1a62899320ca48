import { eq, or } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Handlers } from './handler.ts';
import { done } from './refusal.ts';
import { plans, traffic, users } from './schema.ts';

type User = typeof users.$inferSelect;

/** Whose plan a user uses: a child member uses the payer's. */
const planOwner = (user: User) => user.payerId ?? user.id;

/** What a signed-in user is told about the account. */
export function accountHandlers({
  database,
}: {
  database: Database;
}): Pick<Handlers, 'userInfo' | 'myService' | 'trafficStats'> {
  return {
    async userInfo({ device: { user } }) {
      const owner = planOwner(user);
      const seatsUsed = await database.$count(users, or(eq(users.id, owner), eq(users.payerId, owner)));
      const { email, level, firstOrderDone } = user;
      return done({ email, profile: { level, firstOrderDone, seatsUsed } });
    },

    async myService({ device: { user } }) {
      const [plan] = await database
        .select()
        .from(plans)
        .where(eq(plans.userId, planOwner(user)));
      if (!plan) throw new Error('an account without a plan');
      const { serviceId, expiredAt, seats, service } = plan;
      return done({ serviceId, expiredAt: expiredAt?.toISOString() ?? null, seats, service });
    },

    async trafficStats({ device: { user } }) {
      const [row] = await database
        .select()
        .from(traffic)
        .where(eq(traffic.userId, planOwner(user)));
      return done({ rated: row?.rated ?? 0, in: row?.in ?? 0, out: row?.out ?? 0 });
    },
  };
}
