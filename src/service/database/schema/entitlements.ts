import {
  bigint,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { users } from './account.ts';
import { planLimits, time } from './columns.ts';

/** What the operator's plans allow. A plan that is not here allows everything, and is worth as much as its seats. */
export const planKinds = pgTable('plan_kinds', {
  /** The plan's name. */
  service: text().primaryKey(),
  ...planLimits,
  /** What a day of it is worth beside other plans; null: as much as its seats. */
  rate: integer(),
});

/** The order of the ledger, of grants and revocations alike. */
export const ledgerNumbers = pgSequence('ledger_numbers');

const ledgerNumber = () =>
  bigint({ mode: 'number' })
    .primaryKey()
    .default(sql`nextval('ledger_numbers')`);

/**
 * What accounts were granted: a ledger that only grows, and outlives its accounts. What follows from it
 * (`#shared/plan/ledger.ts`) is in `entitlements`.
 */
export const grants = pgTable(
  'grants',
  {
    id: ledgerNumber(),
    /** Null once the account was deleted. */
    userId: uuid().references(() => users.id, { onDelete: 'set null' }),
    /** Where it comes from, such as an order; nothing grants twice. */
    source: text().notNull().unique(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    durationMs: bigint({ mode: 'number' }).notNull(),
    /** That the account had then. */
    members: integer().notNull(),
    grantedAt: time().notNull(),
  },
  (table) => [index().on(table.userId)],
);

/** Refunds and disputes; they may come before what they take back. */
export const revocations = pgTable(
  'revocations',
  {
    id: ledgerNumber(),
    /** Of the grant. */
    source: text().notNull(),
    /** Of what was granted, 0 to 1, so much is taken back altogether. */
    share: doublePrecision().notNull(),
    members: integer().notNull(),
    revokedAt: time().notNull(),
  },
  (table) => [index().on(table.source)],
);

/** Which plan an account has, had or will have, and when: never two at once. Worked out from `grants`. */
export const entitlements = pgTable(
  'entitlements',
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    from: time().notNull(),
    /** Not in it any more. */
    to: time().notNull(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    /** Of the grants that it is made of. */
    sources: jsonb().$type<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.from] })],
);
