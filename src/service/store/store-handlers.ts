import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { isEmail } from '#shared/validation.ts';
import { listProducts, placeOrder } from '../billing/orders.ts';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused, type Outcome } from '../http/refusal.ts';

/**
 * What can be bought, and ordering it. `payments`: how it is paid for; if that is off, there are only license keys and
 * grants.
 */
export function storeHandlers(options: {
  database: Database;
  payments: 'off' | 'sandbox' | 'provider';
  now: () => Date;
}): Pick<Handlers, 'offers' | 'createOrder' | 'createGuestOrder'> {
  const { database, payments } = options;

  async function order(
    asked: Omit<Parameters<typeof placeOrder>[1], 'now'>,
  ): Promise<Outcome<{ orderId: string }>> {
    if (payments === 'off') return refused('payments-off');
    const placed = await placeOrder(database, { ...asked, now: options.now() });
    return placed ? done({ orderId: String(placed.id) }) : refused('unknown-product');
  }

  return {
    async offers({ language }) {
      const products = payments === 'off' ? [] : await listProducts(database);
      const items = products.map(({ id, titles, days, seats, price }) => ({
        id,
        title: titles[language],
        days,
        seats,
        price,
      }));
      return done({ items, isSandbox: payments === 'sandbox' });
    },

    async createOrder({ body, language, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      return order({ ...body, email: user.email, language });
    },

    async createGuestOrder({ body, language }) {
      const email = body.email.toLowerCase();
      return isEmail(email) ? order({ ...body, email, language }) : refused('invalid-email');
    },
  };
}
