import type { SandboxDecision } from '#shared/entities.ts';
import { and, desc, eq, gt, inArray, lt, ne, or, sql } from 'drizzle-orm';
import { lockForText, type Database } from '../database/database.ts';
import type { PaymentProvider, PaymentState } from './payment-provider.ts';
import { wordgatePayments, wordgateRevisions } from '../database/schema/wordgate.ts';

const hourMs = 3_600_000;
const paymentLifetimeMs = hourMs;
/** How long the state of an unpaid payment can still be read. */
const unpaidPaymentKeptMs = 7 * 24 * hourMs;

export type WordgatePayment = typeof wordgatePayments.$inferSelect;

/** The sandbox payment provider. It takes no money: a payment is paid when somebody presses its button. */
export interface Wordgate extends PaymentProvider {
  find(paymentId: string): Promise<WordgatePayment | undefined>;
  /**
   * What the payer decides and, later, the seller or the payer's bank; ignored if the payment can no longer be decided.
   */
  decide(paymentId: string, decision: SandboxDecision): Promise<void>;
}

/** The decisions that are possible in each state of a payment. */
export const wordgateDecisions: Readonly<Record<WordgatePayment['state'], readonly SandboxDecision[]>> = {
  open: ['paid', 'declined'],
  paid: ['refunded', 'disputed'],
  disputed: ['paid'],
  declined: [],
  refunded: [],
};
const nextRevision = sql`nextval(${sql.raw(`'${wordgateRevisions.seqName}'`)})`;

export function createWordgate({
  database,
  now,
  onChange = async () => undefined,
}: {
  database: Database;
  now: () => Date;
  /** Called in the transaction of a change, with the new state of the payments of a reference. */
  onChange?: (transaction: Database, payment: PaymentState & { reference: string }) => Promise<void>;
}): Wordgate {
  const wordgate: Wordgate = {
    async createPayment({ reference, title, amount, currency, returnUrl }) {
      const keptFrom = new Date(now().getTime() - unpaidPaymentKeptMs);
      const isUnpaid = inArray(wordgatePayments.state, ['open', 'declined']);
      await database.delete(wordgatePayments).where(and(isUnpaid, lt(wordgatePayments.expiresAt, keptFrom)));
      return database.transaction(async (transaction) => {
        await lockForText(transaction, reference);
        const known = await paymentsOf(transaction, reference);
        const usable =
          known.find(wasPaid) ?? known.find(({ state, expiresAt }) => state === 'open' && expiresAt > now());
        const expiresAt = new Date(now().getTime() + paymentLifetimeMs);
        const values = { reference, title, amount, currency, returnUrl, expiresAt };
        const id = usable?.id ?? (await insertPayment(transaction, values));
        return { payUrl: `/wordgate/pay/${id}` };
      });
    },

    async paymentOf(reference) {
      return stateOf(await paymentsOf(database, reference), now());
    },

    async refund(reference) {
      const paid = (await paymentsOf(database, reference)).filter(({ state }) => state === 'paid');
      for (const { id } of paid) await wordgate.decide(id, 'refunded');
      return wordgate.paymentOf(reference);
    },

    async find(paymentId) {
      const [payment] = await database
        .select()
        .from(wordgatePayments)
        .where(eq(wordgatePayments.id, paymentId));
      return payment;
    },

    async decide(paymentId, decision) {
      const before = Object.entries(wordgateDecisions).filter(([, next]) => next.includes(decision));
      const canBeDecided = and(
        eq(wordgatePayments.id, paymentId),
        inArray(
          wordgatePayments.state,
          before.map(([state]) => state as WordgatePayment['state']),
        ),
        or(ne(wordgatePayments.state, 'open'), gt(wordgatePayments.expiresAt, now())),
      );
      await database.transaction(async (transaction) => {
        const [decided] = await transaction
          .update(wordgatePayments)
          .set({ state: decision, revision: nextRevision })
          .where(canBeDecided)
          .returning();
        if (!decided) return;
        const { reference } = decided;
        await onChange(transaction, {
          ...stateOf(await paymentsOf(transaction, reference), now()),
          reference,
        });
      });
    },
  };
  return wordgate;
}

/** Newest first. */
function paymentsOf(database: Database, reference: string): Promise<WordgatePayment[]> {
  return database
    .select()
    .from(wordgatePayments)
    .where(eq(wordgatePayments.reference, reference))
    .orderBy(desc(wordgatePayments.revision));
}

const wasPaid = ({ state }: WordgatePayment) => state !== 'open' && state !== 'declined';

function stateOf(payments: readonly WordgatePayment[], now: Date): PaymentState {
  const payment = payments.find(wasPaid) ?? payments[0];
  if (!payment) return { revision: 0, state: 'none', amount: 0, currency: 'USD' };
  const { revision, amount, currency, expiresAt } = payment;
  const state = payment.state === 'open' && expiresAt <= now ? 'none' : payment.state;
  return { revision, state, amount: wasPaid(payment) ? amount : 0, currency };
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
