import { eq } from 'drizzle-orm';
import { trialPlanName } from './account.ts';
import { seatsTaken } from './seats.ts';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import { plans, traffic } from '../database/schema.ts';

/** What a signed-in user is told about the account. `countTraffic` counts what gateways have told since. */
export function accountHandlers({
  database,
  countTraffic,
  now,
}: {
  database: Database;
  countTraffic: () => Promise<void>;
  now: () => Date;
}): Pick<Handlers, 'userInfo' | 'myService' | 'trafficStats'> {
  return {
    async userInfo({ device: { user, owner } }) {
      const seatsUsed = await seatsTaken(database, owner.id, now());
      const { email, level } = user;
      const payer = level === 3 ? { payer: owner.email } : {};
      return done({ email, profile: { level, firstOrderDone: owner.firstOrderDone, seatsUsed, ...payer } });
    },

    async myService({ device: { owner }, language }) {
      const [plan] = await database.select().from(plans).where(eq(plans.userId, owner.id));
      if (!plan) throw new Error('an account without a plan');
      const { serviceId, expiredAt, seats } = plan;
      // Nothing was bought yet, so the row's name is the trial's.
      const service = expiredAt === null ? trialPlanName[language] : plan.service;
      return done({
        serviceId,
        expiredAt: expiredAt?.toISOString() ?? null,
        // A trial has none to give, whatever its row says in older databases.
        seats: expiredAt === null ? 0 : seats,
        service,
      });
    },

    async trafficStats({ device: { owner } }) {
      await countTraffic();
      const [row] = await database.select().from(traffic).where(eq(traffic.userId, owner.id));
      return done({ rated: row?.rated ?? 0, in: row?.in ?? 0, out: row?.out ?? 0 });
    },
  };
}
