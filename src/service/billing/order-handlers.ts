import type { Order } from '#shared/entities.ts';
import { and, desc, eq, gt, isNotNull, isNull, or } from 'drizzle-orm';
import { z } from 'zod';
import { extendPlan } from '../account/account.ts';
import { lockFor, type Database } from '../database/database.ts';
import type { UserRow } from '../http/device-authentication.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import { orderLifetimeMs } from './orders.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { done, refused } from '../http/refusal.ts';
import { orders, users } from '../database/schema.ts';

type OrderRow = typeof orders.$inferSelect;

const currency = 'USD';
/** Written as PostgreSQL writes it, and small enough for JavaScript. */
const orderId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** A user's orders, and their payment. */
export function orderHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  /** Undefined when nothing can be bought. */
  provider: PaymentProvider | undefined;
  /** Where the console's pages are, without a trailing slash, if not where the service is. */
  consoleUrl: string | undefined;
  now: () => Date;
}): Pick<Handlers, 'orders' | 'order' | 'createPayment' | 'confirmPayment'> {
  const { database, gateways, provider, consoleUrl = '' } = options;
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
      if (user.level === 3) return refused('members-may-not');
      const order = await findOrder(params.id, user);
      if (!order) return refused('unknown-order');
      if (order.paidAt) return refused('order-paid');
      if (order.createdAt <= oldest()) return refused('order-expired');
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
      if (user.level === 3) return refused('members-may-not');
      const order = await findOrder(body.order_id, user);
      if (!order) return refused('unknown-order');
      if (order.paidAt) return done(null);
      if (!provider) return refused('payments-off');
      const payment = await provider.paymentOf(order.uuid);
      if (payment.state === 'declined') return refused('payment-declined');
      const isPaid =
        payment.state === 'paid' && payment.amount === order.totalAmount && payment.currency === currency;
      if (!isPaid) return refused('payment-open');
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const [buyer] = await transaction.select().from(users).where(eq(users.id, user.id));
        if (!buyer) return refused('not-signed-in');
        if (buyer.level === 3) return refused('members-may-not');
        const now = options.now();
        const marked = await transaction
          .update(orders)
          .set({ paidAt: now })
          .where(and(eq(orders.id, order.id), isNull(orders.paidAt)))
          .returning();
        // Another request for the same order was first.
        if (marked.length === 0) return done(null);
        const { service, seats } = order;
        await extendPlan(transaction, buyer.id, { service, seats, days: order.days * order.quantity }, now);
        if (gateways) await publishGatewayAccess(transaction, gateways, now);
        return done(null);
      });
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
