import type { Order } from '#shared/entities.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, desc, eq, gt, isNotNull, isNull, or } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { UserRow } from '../http/device-authentication.ts';
import type { Handlers } from '../http/handler.ts';
import { orderLifetimeMs } from './orders.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { done, refused } from '../http/refusal.ts';
import { orders } from '../database/schema.ts';
import { firstCheckAfterMs } from './reconcile.ts';
import { currency, type Settle } from './settle.ts';

type OrderRow = typeof orders.$inferSelect;

/** Written as PostgreSQL writes it, and small enough for JavaScript. */
const orderId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** A user's orders, and their payment. */
export function orderHandlers(options: {
  database: Database;
  settle: Settle;
  /** Undefined when nothing can be bought. */
  provider: PaymentProvider | undefined;
  /** Where the console's pages are, without a trailing slash, if not where the service is. */
  consoleUrl: string | undefined;
  now: () => Date;
}): Pick<Handlers, 'orders' | 'order' | 'createPayment' | 'confirmPayment'> {
  const { database, settle, provider, consoleUrl = '' } = options;
  const oldest = () => new Date(options.now().getTime() - orderLifetimeMs);

  async function findOrder(id: string, user: UserRow): Promise<OrderRow | undefined> {
    const parsed = orderId.safeParse(id);
    if (!parsed.success) return undefined;
    const [order] = await database
      .select()
      .from(orders)
      .where(and(eq(orders.id, parsed.data), eq(orders.email, user.email)));
    return order;
  }

  return {
    async orders({ device: { user } }) {
      const shown = or(isNotNull(orders.paidAt), gt(orders.createdAt, oldest()));
      const rows = await database
        .select()
        .from(orders)
        .where(and(eq(orders.email, user.email), shown))
        .orderBy(desc(orders.id));
      return done({ items: rows.map(orderOf) });
    },

    async order({ params, device: { user } }) {
      const order = await findOrder(params.orderId, user);
      return order ? done(orderOf(order)) : refused('unknown-order');
    },

    async createPayment({ params, publicUrl, device: { user } }) {
      if (!provider) return refused('payments-off');
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await findOrder(params.id, user);
      if (!order) return refused('unknown-order');
      if (order.paidAt || order.reversedAt) return refused('order-paid');
      if (order.createdAt <= oldest()) return refused('order-expired');
      // Before the provider knows of it: whatever happens from here on, it is asked what became of the payment.
      const begunAt = options.now();
      await database
        .update(orders)
        .set({ paymentBegunAt: begunAt, paymentCheckAt: new Date(begunAt.getTime() + firstCheckAfterMs) })
        .where(and(eq(orders.id, order.id), isNull(orders.paidAt)));
      const { payUrl } = await provider.createPayment({
        reference: order.uuid,
        title: order.title,
        amount: order.totalAmount,
        currency,
        returnUrl: `${consoleUrl}/pay/confirming?order_id=${order.id}`,
        publicUrl,
      });
      return done({
        amount: order.totalAmount,
        currency,
        extra: { pay_url: new URL(payUrl, publicUrl).href },
      });
    },

    async confirmPayment({ body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await findOrder(body.order_id, user);
      if (!order) return refused('unknown-order');
      if (order.paidAt && !order.reversedAt) return done(null);
      if (!provider) return refused('payments-off');
      const payment = await provider.paymentOf(order.uuid);
      return database.transaction((transaction) =>
        settle(transaction, { ...payment, reference: order.uuid }),
      );
    },
  };
}

function orderOf({ id, uuid, title, price, quantity, totalAmount, paidAt, createdAt }: OrderRow): Order {
  return {
    id: String(id),
    uuid,
    title,
    price,
    quantity,
    totalAmount,
    isPaid: paidAt !== null,
    createdAt: createdAt.toISOString(),
  };
}
