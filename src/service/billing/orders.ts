import type { Language } from '#shared/entities.ts';
import { and, asc, eq, isNull, lt } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { orders, products } from '../database/schema.ts';

export type Product = typeof products.$inferSelect;

const dayMs = 24 * 3_600_000;
/** After this an order that nobody paid is no longer shown, nor can a payment of it be begun. */
export const orderLifetimeMs = dayMs;
/** Longer than an order and a payment of it last together: only then the provider is asked whether it was paid. */
const unpaidOrderKeptMs = 7 * dayMs;

export const maxQuantity = 12;

/** What can be bought, in order. */
export function listProducts(database: Database): Promise<Product[]> {
  return database.select().from(products).orderBy(asc(products.position));
}

/**
 * Orders for the account of this email (in lower case), which may be made later. Anybody can order for any address, so
 * that what limits orders is who orders, and never the address: a stranger could use its limit up.
 */
export async function placeOrder(
  database: Database,
  order: { email: string; product: Product; quantity: number; language: Language; now: Date },
): Promise<{ id: number }> {
  const { email, product, quantity, now } = order;
  const { service, days, seats } = product;
  const [placed] = await database
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
  if (!placed) throw new Error('an order was not placed');
  return placed;
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
