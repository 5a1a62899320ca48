import type { Language } from '#shared/entities.ts';
import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm';
import { lockForText, type Database } from '../database/database.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { orders, products } from '../database/schema.ts';

export type Product = typeof products.$inferSelect;

const dayMs = 24 * 3_600_000;
/** After this an order that nobody paid is no longer shown, nor can a payment of it be begun. */
export const orderLifetimeMs = dayMs;
/** Longer than an order and a payment of it last together: only then the provider is asked whether it was paid. */
const unpaidOrderKeptMs = 7 * dayMs;
/** Anybody can order for any address; this many cannot bury what its owner ordered. */
const maxOpenOrdersPerEmail = 20;

export const maxQuantity = 12;

/** What can be bought, in order. */
export function listProducts(database: Database): Promise<Product[]> {
  return database.select().from(products).orderBy(asc(products.position));
}

/** Orders for the account of this email (in lower case), which may be made later; undefined if it has too many. */
export async function placeOrder(
  database: Database,
  order: { email: string; product: Product; quantity: number; language: Language; now: Date },
): Promise<{ id: number } | undefined> {
  const { email, product, quantity, now } = order;
  const { service, days, seats } = product;
  return database.transaction(async (transaction) => {
    await lockForText(transaction, email);
    const unpaid = and(eq(orders.email, email), isNull(orders.paidAt));
    const openFrom = new Date(now.getTime() - orderLifetimeMs);
    const open = await transaction.$count(orders, and(unpaid, gt(orders.createdAt, openFrom)));
    if (open >= maxOpenOrdersPerEmail) return undefined;
    const [placed] = await transaction
      .insert(orders)
      .values({
        email,
        title: product.titles[order.language],
        service,
        days,
        seats,
        price: product.price,
        quantity,
        totalAmount: product.price * quantity,
        createdAt: now,
      })
      .returning({ id: orders.id });
    return placed;
  });
}

/**
 * Deletes the old orders of this email (in lower case) that nobody paid. What the provider knows to be paid, or
 * may still see paid, stays, though nobody came back to have it confirmed; while it does not answer, all of them.
 */
export async function forgetUnpaidOrders(
  database: Database,
  provider: PaymentProvider,
  { email, now }: { email: string; now: Date },
): Promise<void> {
  const keptFrom = new Date(now.getTime() - unpaidOrderKeptMs);
  const isOld = and(eq(orders.email, email), isNull(orders.paidAt), lt(orders.createdAt, keptFrom));
  for (const { id, uuid } of await database.select().from(orders).where(isOld)) {
    const { state } = await provider.paymentOf(uuid);
    if (state !== 'none' && state !== 'declined') continue;
    await database.delete(orders).where(and(eq(orders.id, id), isNull(orders.paidAt)));
  }
}
