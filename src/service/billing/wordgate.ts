import { and, desc, eq, gt, lt, ne } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { wordgatePayments } from '../database/schema.ts';

const hourMs = 3_600_000;
const paymentLifetimeMs = hourMs;
/** How long one can still read what became of a payment that was not made. */
const unpaidPaymentKeptMs = 7 * 24 * hourMs;

export type WordgatePayment = typeof wordgatePayments.$inferSelect;

/** The sandbox payment provider: it takes no money, and believes whoever presses its button. */
export interface Wordgate extends PaymentProvider {
  find(paymentId: string): Promise<WordgatePayment | undefined>;
  /** The payer's decision; nothing happens if it was made before, or too late. */
  decide(paymentId: string, decision: 'paid' | 'declined'): Promise<void>;
}

export function createWordgate({ database, now }: { database: Database; now: () => Date }): Wordgate {
  /** Newest first. */
  const paymentsOf = (reference: string) =>
    database
      .select()
      .from(wordgatePayments)
      .where(eq(wordgatePayments.reference, reference))
      .orderBy(desc(wordgatePayments.expiresAt));
  return {
    async createPayment(request) {
      const keptFrom = new Date(now().getTime() - unpaidPaymentKeptMs);
      const isOld = and(ne(wordgatePayments.state, 'paid'), lt(wordgatePayments.expiresAt, keptFrom));
      await database.delete(wordgatePayments).where(isOld);
      const known = await paymentsOf(request.reference);
      const usable =
        known.find(({ state }) => state === 'paid') ??
        known.find(({ state, expiresAt }) => state === 'open' && expiresAt > now());
      const expiresAt = new Date(now().getTime() + paymentLifetimeMs);
      const id = usable?.id ?? (await insertPayment(database, { ...request, expiresAt }));
      return { payUrl: `/wordgate/pay/${id}` };
    },

    async paymentOf(reference) {
      const known = await paymentsOf(reference);
      const paid = known.find(({ state }) => state === 'paid');
      if (paid) return { kind: 'paid', amount: paid.amount, currency: paid.currency };
      const [latest] = known;
      if (latest?.state === 'declined') return { kind: 'declined' };
      return { kind: latest && latest.expiresAt > now() ? 'open' : 'none' };
    },

    async find(paymentId) {
      const [payment] = await database
        .select()
        .from(wordgatePayments)
        .where(eq(wordgatePayments.id, paymentId));
      return payment;
    },

    async decide(paymentId, decision) {
      const isOpen = and(
        eq(wordgatePayments.id, paymentId),
        eq(wordgatePayments.state, 'open'),
        gt(wordgatePayments.expiresAt, now()),
      );
      await database.update(wordgatePayments).set({ state: decision }).where(isOpen);
    },
  };
}

async function insertPayment(
  database: Database,
  payment: typeof wordgatePayments.$inferInsert,
): Promise<string> {
  const [made] = await database
    .insert(wordgatePayments)
    .values(payment)
    .returning({ id: wordgatePayments.id });
  if (!made) throw new Error('an inserted row was not returned');
  return made.id;
}
