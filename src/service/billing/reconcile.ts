import { and, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { orders, paymentEvents } from '../database/schema/billing.ts';
import { describeError } from '../log.ts';
import { askedForMs, eventKeptMs, refundsSoughtForMs, unpaidOrderKeptMs } from './order-lifetime.ts';
import type { PaymentProvider, PaymentState } from './payment-provider.ts';
import type { Settle } from './order-settlement.ts';

type OrderRow = typeof orders.$inferSelect;

const minuteMs = 60_000;
/** By then, a webhook or the user's own confirmation has usually arrived. */
export const firstCheckAfterMs = 2 * minuteMs;
const ordersAtOnce = 10;
/**
 * How many orders one run can ask about in its time (jobs.ts) even if the provider answers slowly; the next run
 * continues.
 */
const ordersPerRun = 200;
/**
 * Asks the provider about payments that were started and are not settled: after two minutes, then less and less often,
 * down to once an hour. For half a year it also asks whether paid orders were refunded or disputed: after a day, then
 * whenever the order's age has grown by a quarter. Requests refunds of payments for deleted accounts, and deletes
 * unpaid orders. Services on one database share this work.
 */
export async function reconcilePayments(options: {
  database: Database;
  provider: PaymentProvider;
  settle: Settle;
  now: () => Date;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}): Promise<void> {
  const { database, provider, settle, logger } = options;
  const before = (ms: number) => new Date(options.now().getTime() - ms);
  await database.delete(paymentEvents).where(lt(paymentEvents.receivedAt, before(eventKeptMs)));
  const neverBegun = and(isNull(orders.paidAt), isNull(orders.paymentBegunAt));
  await database.delete(orders).where(and(neverBegun, lt(orders.createdAt, before(unpaidOrderKeptMs))));

  const settleAs = ({ uuid }: OrderRow, payment: PaymentState) =>
    database.transaction((transaction) => settle(transaction, { ...payment, reference: uuid }));

  /** Requests the refund; false if it is not done yet or the provider refused. */
  async function giveBack(order: OrderRow): Promise<boolean> {
    const known = { order: order.id, reference: order.uuid };
    try {
      const payment = await provider.refund(order.uuid);
      await settleAs(order, payment);
      if (payment.state !== 'refunded') return false;
      logger.info(known, 'a payment for an account that is gone was given back');
      return true;
    } catch (error) {
      logger.error(
        { ...known, ...describeError(error) },
        'a payment for an account that is gone could not be given back',
      );
      return false;
    }
  }

  async function check(order: OrderRow): Promise<void> {
    const payment = await provider.paymentOf(order.uuid);
    const isUnpaid = payment.state === 'none' || payment.state === 'declined';
    const { paidAt, refundDueAt, createdAt } = order;
    if (isUnpaid && !paidAt && !refundDueAt && createdAt < before(unpaidOrderKeptMs)) {
      // A report may have come meanwhile.
      const isStillUnpaid = and(isNull(orders.paidAt), isNull(orders.refundDueAt));
      await database.delete(orders).where(and(eq(orders.id, order.id), isStillUnpaid));
      return;
    }
    const settled = await settleAs(order, payment);
    if ((await owesRefund(database, order)) && (await giveBack(order))) return;
    if (paidAt ? paidAt > before(refundsSoughtForMs) : settled.ok || createdAt > before(askedForMs)) return;
    if (!paidAt && !settled.ok) {
      logger.error({ order: order.id, reason: settled.reason }, 'an order is given up');
    }
    await database.update(orders).set({ paymentCheckAt: null }).where(eq(orders.id, order.id));
  }

  for (let asked = 0; asked < ordersPerRun; asked += ordersAtOnce) {
    const due = await claimDue(database, options.now());
    if (due.length === 0) return;
    const logError = (error: unknown) =>
      logger.warn(describeError(error), 'a payment is asked for again later');
    await Promise.all(due.map((order) => check(order).catch(logError)));
  }
}

async function owesRefund(database: Database, { id }: OrderRow): Promise<boolean> {
  const isOwed = and(eq(orders.id, id), isNotNull(orders.refundDueAt), isNull(orders.reversedAt));
  return (await database.$count(orders, isOwed)) > 0;
}

/**
 * Orders whose payment should be checked now, those that somebody waits for first. They are at once scheduled for a
 * later check, so that other processes skip them and a crash loses nothing. What is scheduled for later than any pause
 * lasts is from before the clock was set back.
 */
function claimDue(database: Database, now: Date): Promise<OrderRow[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const minutes = sql`least(60, power(2, least(${orders.paymentChecks}, 6)))`;
  // Without a time of payment, it is the day.
  const longest = sql`greatest(interval '1 day', (${at} - ${orders.paidAt}) / 4)`;
  const pause = sql`case when ${orders.paidAt} is null then make_interval(mins => ${minutes}::int) else ${longest} end`;
  const due = database
    .select({ id: orders.id })
    .from(orders)
    .where(or(lte(orders.paymentCheckAt, now), gt(orders.paymentCheckAt, sql`${at} + 2 * ${longest}`)))
    .orderBy(sql`${orders.paidAt} is not null`, orders.paymentCheckAt)
    .limit(ordersAtOnce)
    .for('update', { skipLocked: true });
  return database
    .update(orders)
    .set({
      paymentChecks: sql`${orders.paymentChecks} + 1`,
      paymentCheckAt: sql`${at} + ${pause}`,
    })
    .where(inArray(orders.id, due))
    .returning();
}
