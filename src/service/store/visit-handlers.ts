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
 * Store visits: a buyer comes from an app, which is signed in, to the store in a browser, which need not be. The app
 * gets a link with a code that opens one visit, once, within a minute. Because a link can be stolen from a screen or
 * sent to somebody, what the browser gets for it is not a session of the account: for an hour, it can order for the
 * account, pay, and ask about the payment. All it can read is the account's email and its number of members, so that
 * users know whom they buy for, and what. All that a thief can do is pay for a stranger's plan. Both secrets are stored
 * as hashes in a table of their own, so that they are of no other use, and they end with the device's sign-in.
 *
 * Somebody who opens a link from another person would pay for the sender's plan. So the page says whose plan it is; if
 * the browser is signed in to an account, that stays as it is, and the user chooses (features/store).
 */
export function visitHandlers(options: {
  database: Database;
  payments: OrderPayments;
  now: () => Date;
}): Pick<Handlers, 'createHandOver' | 'openStoreVisit' | 'createVisitOrder' | 'confirmVisitOrder'> {
  const { database, payments } = options;
  const inMs = (ms: number) => new Date(options.now().getTime() + ms);

  /** The user of a visit, if the visit has not ended. */
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
      const visit = { codeHash: sha256(code), gatewayUser, expiresAt: inMs(linkLifetimeMs) };
      return database.transaction(async (transaction) => {
        const asking = transaction.select().from(devices).where(eq(devices.gatewayUser, gatewayUser));
        // It may have been signed out meanwhile.
        if ((await asking.for('key share')).length === 0) return refused('not-signed-in');
        await transaction.insert(storeVisits).values(visit);
        return done({ code });
      });
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
