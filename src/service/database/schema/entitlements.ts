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

/** What the operator's plans allow. A plan without a row allows everything, and its rate is the number of its seats. */
export const planKinds = pgTable('plan_kinds', {
  /** The plan's name. */
  service: text().primaryKey(),
  ...planLimits,
  /** The value of one day relative to other plans; null means the number of its seats. */
  rate: integer(),
});

/** Numbers the entries of the ledger, both grants and revocations. */
export const ledgerNumbers = pgSequence('ledger_numbers');

const ledgerNumber = () =>
  bigint({ mode: 'number' })
    .primaryKey()
    .default(sql`nextval('ledger_numbers')`);

/**
 * What accounts were granted: a ledger that only grows, and outlives its accounts. The result
 * (`#shared/plan/ledger.ts`) is in `entitlements`.
 */
export const grants = pgTable(
  'grants',
  {
    id: ledgerNumber(),
    /** Null once the account was deleted. */
    userId: uuid().references(() => users.id, { onDelete: 'set null' }),
    /** Where it comes from, such as an order; no source grants twice. */
    source: text().notNull().unique(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    durationMs: bigint({ mode: 'number' }).notNull(),
    /** The number of members that the account had then. */
    members: integer().notNull(),
    grantedAt: time().notNull(),
  },
  (table) => [index().on(table.userId)],
);

/** Refunds and disputes; they may arrive before the grant that they take back. */
export const revocations = pgTable(
  'revocations',
  {
    id: ledgerNumber(),
    /** The source of the grant. */
    source: text().notNull(),
    /** The total part of the grant that is taken back, 0 to 1. */
    share: doublePrecision().notNull(),
    members: integer().notNull(),
    revokedAt: time().notNull(),
  },
  (table) => [index().on(table.source)],
);

/** Which plan an account has, had or will have, and when; never two at once. Computed from `grants`. */
export const entitlements = pgTable(
  'entitlements',
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    from: time().notNull(),
    /** Exclusive. */
    to: time().notNull(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    /** The sources of its grants. */
    sources: jsonb().$type<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.from] })],
);
