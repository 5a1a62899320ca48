import type { Language } from '#shared/entities.ts';
import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm';
import { lockForEmail, type Database } from './database.ts';
import { orders, products } from './schema.ts';

export type Product = typeof products.$inferSelect;

const dayMs = 24 * 3_600_000;
/** After this an order that nobody paid is no longer shown, nor can a payment of it be begun. */
export const orderLifetimeMs = dayMs;
/** Longer than an order and a payment of it last together, so that no payment under way loses its order. */
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
    await lockForEmail(transaction, email);
    const unpaid = and(eq(orders.email, email), isNull(orders.paidAt));
    const keptFrom = new Date(now.getTime() - unpaidOrderKeptMs);
    await transaction.delete(orders).where(and(unpaid, lt(orders.createdAt, keptFrom)));
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
