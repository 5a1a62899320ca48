import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, eq, gt, isNull, lte } from 'drizzle-orm';
import { findOrder, type OrderPayments } from '../billing/order-payments.ts';
import { placeOrder } from '../billing/orders.ts';
import type { Database } from '../database/database.ts';
import { devices, users } from '../database/schema/account.ts';
import { storeVisits } from '../database/schema/billing.ts';
import type { UserRow } from '../http/device-authentication.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { makeToken, sha256 } from '../http/token.ts';

const linkLifetimeMs = 60_000;
/** As long as a payment may take. */
const visitLifetimeMs = 3_600_000;

/**
 * Store visits: a buyer comes from an app, which is signed in, to the store in a browser, which need not be. The app has
 * a link with a code that opens one visit, once, within a minute. What the browser gets for it is no session of the
 * account, as a link can be stolen from a screen or sent to somebody: it can order for the account, pay and ask about
 * the payment, for an hour, and it reads nothing but the account's email and how many members it has, so that its user
 * knows whom they buy for, and what. What a
 * thief can do is pay for a stranger's plan. Both secrets are stored hashed, in a table of their own, so that neither is
 * good for anything else; they end with the device's sign-in.
 *
 * A link that somebody sends to another person has that person pay for the sender's plan. So the page says whose it is,
 * and where an account is signed in already, it is left alone and its user chooses (features/store).
 */
export function visitHandlers(options: {
  database: Database;
  payments: OrderPayments;
  now: () => Date;
}): Pick<Handlers, 'createHandOver' | 'openStoreVisit' | 'createVisitOrder' | 'confirmVisitOrder'> {
  const { database, payments } = options;
  const inMs = (ms: number) => new Date(options.now().getTime() + ms);

  /** Whom a visit is for, if it is not over. */
  async function visitor(visit: string): Promise<UserRow | undefined> {
    const [found] = await database
      .select({ user: users })
      .from(storeVisits)
      .innerJoin(devices, eq(devices.gatewayUser, storeVisits.gatewayUser))
      .innerJoin(users, eq(users.id, devices.userId))
      .where(and(eq(storeVisits.visitHash, sha256(visit)), gt(storeVisits.expiresAt, options.now())));
    return found?.user;
  }

  return {
    async createHandOver({ device: { user, gatewayUser } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      await database.delete(storeVisits).where(lte(storeVisits.expiresAt, options.now()));
      const code = makeToken();
      await database
        .insert(storeVisits)
        .values({ codeHash: sha256(code), gatewayUser, expiresAt: inMs(linkLifetimeMs) });
      return done({ code });
    },

    async openStoreVisit({ body }) {
      const visit = makeToken();
      const isUnused = and(
        eq(storeVisits.codeHash, sha256(body.code)),
        isNull(storeVisits.visitHash),
        gt(storeVisits.expiresAt, options.now()),
      );
      const opened = await database
        .update(storeVisits)
        .set({ visitHash: sha256(visit), expiresAt: inMs(visitLifetimeMs) })
        .where(isUnused)
        .returning({ codeHash: storeVisits.codeHash });
      const user = opened.length > 0 ? await visitor(visit) : undefined;
      if (!user) return refused('hand-over-over');
      const members = await database.$count(users, eq(users.payerId, user.id));
      return done({ visit, email: user.email, members });
    },

    async createVisitOrder({ body: { visit, ...asked }, language, publicUrl }) {
      const user = await visitor(visit);
      if (!user) return refused('store-visit-over');
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await placeOrder(database, { ...asked, email: user.email, language, now: options.now() });
      if (!order) return refused('unknown-product');
      const returnPath = `/store/confirming?order_id=${order.id}`;
      const payment = await payments.begin(order, { returnPath, publicUrl });
      return payment.ok ? done({ orderId: String(order.id), payUrl: payment.data.extra.pay_url }) : payment;
    },

    async confirmVisitOrder({ body: { visit, order_id: id } }) {
      const user = await visitor(visit);
      if (!user) return refused('store-visit-over');
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const order = await findOrder(database, { id, email: user.email });
      return order ? payments.confirm(order) : refused('unknown-order');
    },
  };
}
