import { bigint, index, integer, pgSequence, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { time } from './columns.ts';

/** Grows with each change of a sandbox payment. */
export const wordgateRevisions = pgSequence('wordgate_revisions');

/** The storage of the sandbox payment provider; the rest of the service does not use it. */
export const wordgatePayments = pgTable(
  'wordgate_payments',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The order's uuid. */
    reference: uuid().notNull(),
    title: text().notNull(),
    /** Cents. */
    amount: integer().notNull(),
    currency: text().notNull(),
    state: text().$type<'open' | 'paid' | 'declined' | 'refunded' | 'disputed'>().notNull().default('open'),
    /** Where the payer is sent back to. */
    returnUrl: text().notNull(),
    /** The revision of its last change, from `wordgateRevisions`. */
    revision: bigint({ mode: 'number' })
      .notNull()
      .default(sql`nextval('wordgate_revisions')`),
    expiresAt: time().notNull(),
  },
  (table) => [index().on(table.reference)],
);
