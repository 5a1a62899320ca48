import type { Order } from '#shared/entities.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, desc, eq, gt, isNotNull, or } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { orders } from '../database/schema/billing.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { findOrder, type OrderPayments } from './order-payments.ts';
import { orderLifetimeMs } from './order-lifetime.ts';
import type { OrderRow } from './orders.ts';

/** A user's orders and their payment. */
export function orderHandlers(options: {
  database: Database;
  payments: OrderPayments;
  now: () => Date;
}): Pick<Handlers, 'orders' | 'order' | 'createPayment' | 'confirmPayment'> {
  const { database, payments } = options;
  return {
    async orders({ device: { user } }) {
      const oldest = new Date(options.now().getTime() - orderLifetimeMs);
      const shown = or(isNotNull(orders.paidAt), gt(orders.createdAt, oldest));
      const rows = await database
        .select()
        .from(orders)
        .where(and(eq(orders.email, user.email), shown))
        .orderBy(desc(orders.id));
      return done({ items: rows.map(orderOf) });
    },

    async order({ params, device: { user } }) {
      const order = await findOrder(database, { id: params.orderId, email: user.email });
      return order ? done(orderOf(order)) : refused('unknown-order');
    },

    async createPayment({ params, publicUrl, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await findOrder(database, { id: params.id, email: user.email });
      if (!order) return refused('unknown-order');
      return payments.begin(order, { returnPath: `/pay/confirming?order_id=${order.id}`, publicUrl });
    },

    async confirmPayment({ body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await findOrder(database, { id: body.order_id, email: user.email });
      return order ? payments.confirm(order) : refused('unknown-order');
    },
  };
}

function orderOf(row: OrderRow): Order {
  const { id, uuid, title, price, quantity, totalAmount, paidAt, createdAt, days, seats } = row;
  return {
    id: String(id),
    uuid,
    title,
    price,
    quantity,
    totalAmount,
    isPaid: paidAt !== null,
    createdAt: createdAt.toISOString(),
    days: days * quantity,
    seats,
  };
}
