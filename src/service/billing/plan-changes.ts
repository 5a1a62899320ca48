import { eq, sql } from 'drizzle-orm';
import { extendPlan, type PlanPurchase } from '../account/account.ts';
import type { Database } from '../database/database.ts';
import { orders, plans, users } from '../database/schema.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';

/** What paid orders change, in the transaction that settles them. */
export interface PlanChanges {
  grant(
    transaction: Database,
    bought: { userId: string; source: `order:${string}`; purchase: PlanPurchase },
  ): Promise<unknown>;
  /** Of what was granted, `share` is taken back altogether: 0 after a dispute that was won. */
  revoke(transaction: Database, taken: { source: `order:${string}`; share: number }): Promise<void>;
}

export function createPlanChanges(options: {
  gateways: GatewayAccess | undefined;
  now: () => Date;
}): PlanChanges {
  const { gateways, now } = options;
  const publish = async (transaction: Database) => {
    if (gateways) await publishGatewayAccess(transaction, gateways, now());
  };
  return {
    async grant(transaction, { userId, purchase }) {
      await extendPlan(transaction, userId, purchase, now());
      await publish(transaction);
    },
    async revoke(transaction, { source, share }) {
      const [order] = await transaction
        .select()
        .from(orders)
        .where(eq(orders.uuid, source.slice('order:'.length)));
      if (!order) return;
      const days = order.days * order.quantity * (share === 0 ? 1 : -share);
      const owner = transaction.select({ id: users.id }).from(users).where(eq(users.email, order.email));
      await transaction
        .update(plans)
        .set({ expiredAt: sql`${plans.expiredAt} + make_interval(secs => ${days * 86_400})` })
        .where(eq(plans.userId, sql`(${owner})`));
      await publish(transaction);
    },
  };
}
