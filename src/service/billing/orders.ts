import type { Language } from '#shared/entities.ts';
import { asc } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { orders, products } from '../database/schema.ts';

export type Product = typeof products.$inferSelect;

const dayMs = 24 * 3_600_000;
/** After this an order that nobody paid is no longer shown, nor can a payment of it be begun. */
export const orderLifetimeMs = dayMs;

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
