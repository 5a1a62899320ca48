import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Entitlements } from '../account/entitlements.ts';
import { lockFor, type Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { orders } from '../database/schema/billing.ts';
import { done, refused, type Outcome } from '../http/refusal.ts';
import type { PaymentState } from './payment-provider.ts';

type OrderRow = typeof orders.$inferSelect;

export const currency = 'USD';
const firstRefundCheckAfterMs = 24 * 3_600_000;

/** What a provider knows about the payments of the order with this uuid. */
export type PaymentReport = PaymentState & { reference: string };

/** Updates an order to match the provider's report, within a transaction; returns whether the order is paid. */
export type Settle = (transaction: Database, report: PaymentReport) => Promise<Outcome<null>>;

/**
 * The only way in which orders become paid or are taken back: a user's confirmation, a provider's webhook and the
 * reconciler all end here. Reports may arrive late, twice, out of order and at the same time. So the order's row is
 * locked, and of two reports, the one with the higher revision is believed.
 */
export function createSettle(options: {
  entitlements: Entitlements;
  now: () => Date;
  logger: Pick<Logger, 'warn' | 'error'>;
}): Settle {
  const { entitlements, logger } = options;

  return async (transaction, report) => {
    await lockFor(transaction, 'groups');
    const isOrder = eq(orders.uuid, report.reference);
    const [order] = await transaction.select().from(orders).where(isOrder).for('update');
    if (!order) return refused('unknown-order');
    if (order.paymentRevision !== null && report.revision <= order.paymentRevision) return outcomeOf(order);
    // So that refunds are found even if nobody reports them.
    const paymentCheckAt = new Date(options.now().getTime() + firstRefundCheckAfterMs);
    const change = (fields: Partial<OrderRow>) =>
      transaction
        .update(orders)
        .set({ paymentCheckAt, ...fields, paymentRevision: report.revision })
        .where(isOrder);

    /**
     * Nobody gets anything for this payment, so the reconciler requests a refund; until then, the operator can see it.
     */
    async function oweRefund(paid: OrderRow): Promise<Outcome<null>> {
      const { id, uuid } = paid;
      const now = options.now();
      const owed = paid.refundDueAt ? {} : { refundDueAt: now, paymentCheckAt: now };
      if (!paid.refundDueAt) {
        logger.warn(
          { order: id, reference: uuid },
          'a payment is for an account that is gone: to be refunded',
        );
      }
      await change({ paymentCheckAt: paid.paymentCheckAt, reversedAt: null, ...owed });
      return refused('not-signed-in');
    }

    async function settlePaid(paid: OrderRow): Promise<Outcome<null>> {
      const [buyer] = await transaction.select().from(users).where(eq(users.email, paid.email));
      // Deleting an account gives up what it has received, but not what it never received.
      if (!buyer && !paid.paidAt) return oweRefund(paid);
      if (report.amount !== paid.totalAmount || report.currency !== currency) {
        logger.error(
          { order: paid.id, revision: report.revision },
          'a payment is of another amount than its order',
        );
        return refused('payment-open');
      }
      // The order stays open, and is settled once the buyer is no longer a member of somebody's plan.
      if (buyer && isMemberLevel(buyer.level)) return refused('members-may-not');
      const { service, seats, days, quantity } = paid;
      const source = sourceOf(paid);
      if (buyer && !paid.paidAt) {
        await entitlements.grant(transaction, {
          userId: buyer.id,
          source,
          purchase: { service, seats, days: days * quantity },
        });
      } else if (paid.reversedAt) {
        // A dispute that the seller won.
        await entitlements.revoke(transaction, { source, share: 0 });
      }
      await change({ paidAt: paid.paidAt ?? options.now(), reversedAt: null });
      return done(null);
    }

    async function settleReversed(reversed: OrderRow): Promise<Outcome<null>> {
      if (reversed.paidAt) {
        const share = report.amount > 0 ? Math.min(1, (report.refunded ?? report.amount) / report.amount) : 1;
        await entitlements.revoke(transaction, { source: sourceOf(reversed), share });
      }
      // If nobody received anything and the money was refunded, the order is finished.
      const isOver = !reversed.paidAt && report.state === 'refunded';
      await change({ reversedAt: options.now(), ...(isOver && { paymentCheckAt: null }) });
      return refused('payment-taken-back');
    }

    switch (report.state) {
      case 'none':
      case 'open':
        return outcomeOf(order);
      case 'declined':
        return order.paidAt ? outcomeOf(order) : refused('payment-declined');
      case 'paid':
        return settlePaid(order);
      case 'refunded':
      case 'disputed':
        return settleReversed(order);
      default:
        return report.state satisfies never;
    }
  };
}

const sourceOf = ({ uuid }: OrderRow) => `order:${uuid}` as const;

function outcomeOf({ paidAt, reversedAt }: OrderRow): Outcome<null> {
  if (reversedAt) return refused('payment-taken-back');
  return paidAt ? done(null) : refused('payment-open');
}
