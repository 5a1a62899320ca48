import type { Language } from '#shared/entities.ts';
import { asc, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { orders, products } from '../database/schema/billing.ts';

type Product = typeof products.$inferSelect;
export type OrderRow = typeof orders.$inferSelect;

/** What can be bought, in display order. */
export function listProducts(database: Database): Promise<Product[]> {
  return database.select().from(products).orderBy(asc(products.position));
}

/**
 * Places an order for the account with this email (in lower case), which may be created later. Anybody can order for
 * any address, so orders must be limited by who orders, never by the address; otherwise a stranger could use up its
 * limit. Undefined if the product is not for sale.
 */
export async function placeOrder(
  database: Database,
  order: { email: string; productId: string; quantity: number; language: Language; now: Date },
): Promise<OrderRow | undefined> {
  const { email, productId, quantity, language, now } = order;
  const [product] = await database.select().from(products).where(eq(products.id, productId));
  if (!product) return undefined;
  const { service, days, seats, price, titles } = product;
  const [placed] = await database
    .insert(orders)
    .values({
      email,
      title: titles[language],
      service,
      days,
      seats,
      price,
      quantity,
      totalAmount: price * quantity,
      createdAt: now,
    })
    .returning();
  if (!placed) throw new Error('an order was not placed');
  return placed;
}
