import { trafficUsed } from '#shared/plan/entitlement.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { eq } from 'drizzle-orm';
import { trialPlanName } from './account.ts';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import { readEntitlement } from '../database/entitlement-rows.ts';
import { traffic } from '../database/schema/gateways.ts';

/** What a signed-in user can learn about their account. `countTraffic` first counts what gateways have reported. */
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
    async userInfo({ device: { user, owner, seats } }) {
      const { members, taken } = seats;
      const { email, level } = user;
      const shared = isMemberLevel(level) ? { payer: owner.email } : members > 0 ? { members } : {};
      const { firstOrderDone } = owner;
      return done({ email, profile: { level, firstOrderDone, seatsUsed: taken, ...shared } });
    },

    async myService({ device, language }) {
      const { plan, seats } = await readEntitlement(database, device, now());
      return done({
        serviceId: device.owner.serviceId,
        expiredAt: plan ? new Date(plan.until).toISOString() : null,
        seats,
        service: plan?.name ?? trialPlanName[language],
      });
    },

    async trafficStats({ device }) {
      await countTraffic();
      const [row] = await database.select().from(traffic).where(eq(traffic.userId, device.owner.id));
      const { traffic: allowance } = await readEntitlement(database, device, now());
      const counted = row && { ...row, since: row.since.getTime() };
      return done({ rated: allowance.rated, ...trafficUsed(allowance, counted) });
    },
  };
}
