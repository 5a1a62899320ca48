import type { Payment } from '#shared/entities.ts';
import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { orders } from '../database/schema/billing.ts';
import { done, refused, type Outcome } from '../http/refusal.ts';
import { describeError } from '../log.ts';
import { orderLifetimeMs } from './order-lifetime.ts';
import type { OrderRow } from './orders.ts';
import { PaymentProviderFailed, type PaymentProvider } from './payment-provider.ts';
import { firstCheckAfterMs } from './reconcile.ts';
import { currency, type Settle } from './order-settlement.ts';

/** A decimal integer as PostgreSQL writes it, small enough for JavaScript. */
const orderId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** An order for the account of this email. */
export async function findOrder(
  database: Database,
  { id, email }: { id: string; email: string },
): Promise<OrderRow | undefined> {
  const parsed = orderId.safeParse(id);
  if (!parsed.success) return undefined;
  const [order] = await database
    .select()
    .from(orders)
    .where(and(eq(orders.id, parsed.data), eq(orders.email, email)));
  return order;
}

/** Pays orders. The caller has to check who may pay for which order. */
export interface OrderPayments {
  /** Opens a payment. The provider sends the payer back to the console's page at `returnPath`. */
  begin(order: OrderRow, options: { returnPath: string; publicUrl: string }): Promise<Outcome<Payment>>;
  /** Asks the provider about the payment, and settles the order. */
  confirm(order: OrderRow): Promise<Outcome<null>>;
}

export function createOrderPayments(options: {
  database: Database;
  settle: Settle;
  /** Undefined if nothing can be bought. */
  provider: PaymentProvider | undefined;
  /** Where the console's pages are, without a trailing slash, if they are not where the service is. */
  consoleUrl: string | undefined;
  now: () => Date;
  logger: Pick<Logger, 'error'>;
}): OrderPayments {
  const { database, settle, provider, consoleUrl, logger } = options;

  /** What a provider answers; undefined if that cannot be used, which is for the operator to know. */
  async function answerOf<Answer>(asking: Promise<Answer>): Promise<Answer | undefined> {
    return asking.catch((error: unknown) => {
      if (!(error instanceof PaymentProviderFailed)) throw error;
      logger.error(describeError(error), 'the payment provider has failed');
      return undefined;
    });
  }

  /**
   * Stored before the provider is asked, so that the reconciler asks about this payment whatever happens next. The order
   * may have changed since it was read: it is deleted with its account, and nobody would get anything for what is paid
   * for it then.
   */
  function noteBeginning({ id, email }: OrderRow): Promise<Outcome<null>> {
    const begunAt = options.now();
    const isTheirs = and(eq(orders.id, id), eq(orders.email, email));
    return database.transaction(async (transaction) => {
      const [order] = await transaction.select().from(orders).where(isTheirs).for('update');
      if (!order) return refused('unknown-order');
      if (order.paidAt || order.reversedAt) return refused('order-paid');
      if (order.createdAt.getTime() <= begunAt.getTime() - orderLifetimeMs) return refused('order-expired');
      const paymentCheckAt = new Date(begunAt.getTime() + firstCheckAfterMs);
      await transaction.update(orders).set({ paymentBegunAt: begunAt, paymentCheckAt }).where(isTheirs);
      return done(null);
    });
  }

  return {
    async begin(order, { returnPath, publicUrl }) {
      if (!provider) return refused('payments-off');
      const noted = await noteBeginning(order);
      if (!noted.ok) return noted;
      const created = await answerOf(
        provider.createPayment({
          reference: order.uuid,
          title: order.title,
          amount: order.totalAmount,
          currency,
          returnUrl: `${consoleUrl ?? ''}${returnPath}`,
          publicUrl,
        }),
      );
      if (!created) return refused('payment-unreachable');
      const { payUrl } = created;
      return done({
        amount: order.totalAmount,
        currency,
        extra: { pay_url: new URL(payUrl, consoleUrl ?? publicUrl).href },
      });
    },

    async confirm(order) {
      if (order.paidAt && !order.reversedAt) return done(null);
      if (!provider) return refused('payments-off');
      const payment = await answerOf(provider.paymentOf(order.uuid));
      if (!payment) return refused('payment-unreachable');
      return database.transaction((transaction) =>
        settle(transaction, { ...payment, reference: order.uuid }),
      );
    },
  };
}
