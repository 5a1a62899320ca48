import type { Language } from '#shared/entities.ts';
import { bigint, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { users, devices } from './account.ts';
import { time } from './columns.ts';

/** What can be bought. */
export const products = pgTable('products', {
  id: text().primaryKey(),
  /** The name of the plan that the buyer gets. */
  service: text().notNull(),
  titles: jsonb().$type<Record<Language, string>>().notNull(),
  /** The days that one unit adds to the plan. */
  days: integer().notNull(),
  seats: integer().notNull(),
  /** Cents of a US dollar. */
  price: integer().notNull(),
  position: integer().notNull(),
});

/** An order keeps the offer as it was, even if the product changes. */
export const orders = pgTable(
  'orders',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity({ startWith: 100_001 }),
    /** The order's reference at payment providers. */
    uuid: uuid().notNull().unique().defaultRandom(),
    /** The email of the account that it is for, in lower case; ordering does not need a sign-in. */
    email: text().notNull(),
    title: text().notNull(),
    service: text().notNull(),
    days: integer().notNull(),
    seats: integer().notNull(),
    /** Cents of a US dollar. */
    price: integer().notNull(),
    quantity: integer().notNull(),
    totalAmount: integer().notNull(),
    createdAt: time().notNull(),
    paidAt: time(),
    /** When the payment was taken back, by a refund or a dispute. */
    reversedAt: time(),
    /** When it was found that the account it paid for is gone; `reversedAt` says when the refund was done. */
    refundDueAt: time(),
    /** The revision of the provider's last report that changed the order. */
    paymentRevision: bigint({ mode: 'number' }),
    /** When the provider was first asked to open a payment. */
    paymentBegunAt: time(),
    /** When to ask the provider about the payment next; null if there is nothing to ask. */
    paymentCheckAt: time(),
    paymentChecks: integer().notNull().default(0),
  },
  (table) => [index().on(table.email), index().on(table.paymentCheckAt)],
);

/**
 * Visitors who came from an app to the store in a browser, see store/visit-handlers.ts. A row first stands for the
 * link, until it is used or expires, and then for the visit.
 */
export const storeVisits = pgTable(
  'store_visits',
  {
    /** SHA-256 of the link's code in hexadecimal. */
    codeHash: text().primaryKey(),
    /** SHA-256 of the visit's secret in hexadecimal; null until the link is used. */
    visitHash: text().unique(),
    /** The device that the link comes from. Signing it out deletes its visits. */
    gatewayUser: text()
      .notNull()
      .references(() => devices.gatewayUser, { onDelete: 'cascade' }),
    /** When the link, or the visit, expires. */
    expiresAt: time().notNull(),
  },
  (table) => [index().on(table.gatewayUser), index().on(table.expiresAt)],
);

/** Reports of the payment provider that were processed. */
export const paymentEvents = pgTable(
  'payment_events',
  {
    eventId: text().primaryKey(),
    receivedAt: time().notNull(),
  },
  (table) => [index().on(table.receivedAt)],
);

export const licenseKeys = pgTable(
  'license_keys',
  {
    /** SHA-256 of the key in hexadecimal, so that reading the database is not enough to consume a key. */
    keyHash: text().primaryKey(),
    service: text().notNull(),
    days: integer().notNull(),
    seats: integer().notNull(),
    usedAt: time(),
    usedBy: uuid().references(() => users.id, { onDelete: 'set null' }),
  },
  // For deleting accounts.
  (table) => [index().on(table.usedBy)],
);
