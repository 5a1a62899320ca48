import type { Language } from '#shared/entities.ts';
import { bigint, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { users, devices } from './account.ts';
import { time } from './columns.ts';

/** What can be bought. */
export const products = pgTable('products', {
  id: text().primaryKey(),
  /** The name of the plan that a buyer gets. */
  service: text().notNull(),
  titles: jsonb().$type<Record<Language, string>>().notNull(),
  /** What one of it adds to the plan. */
  days: integer().notNull(),
  seats: integer().notNull(),
  /** Cents of a US dollar. */
  price: integer().notNull(),
  position: integer().notNull(),
});

/** An order keeps what was offered, whatever becomes of the product. */
export const orders = pgTable(
  'orders',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity({ startWith: 100_001 }),
    /** What payment providers know the order by. */
    uuid: uuid().notNull().unique().defaultRandom(),
    /** Of the account it is for, in lower case; nobody needs to have signed in yet to order. */
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
    /** When what was paid was taken back, by a refund or a dispute. */
    reversedAt: time(),
    /** When it was found that it was paid for an account that is gone; `reversedAt` says since when that is given back. */
    refundDueAt: time(),
    /** Of the last report of the payment provider that changed the order. */
    paymentRevision: bigint({ mode: 'number' }),
    /** When the provider was first asked to open a payment. */
    paymentBegunAt: time(),
    /** When the provider is next asked what became of the payment; null when there is nothing to ask. */
    paymentCheckAt: time(),
    paymentChecks: integer().notNull().default(0),
  },
  (table) => [index().on(table.email), index().on(table.paymentCheckAt)],
);

/**
 * Who came from an app to the store in a browser, see store/visit-handlers.ts. First the link is known, until it is used
 * or too old; then the visit.
 */
export const storeVisits = pgTable(
  'store_visits',
  {
    /** SHA-256 of the link's code in hexadecimal. */
    codeHash: text().primaryKey(),
    /** SHA-256 of the visit's secret in hexadecimal; null until the link is used. */
    visitHash: text().unique(),
    /** Of the device that the link comes from. A device that is signed out takes its visits with it. */
    gatewayUser: text()
      .notNull()
      .references(() => devices.gatewayUser, { onDelete: 'cascade' }),
    /** Of the link, or of the visit. */
    expiresAt: time().notNull(),
  },
  (table) => [index().on(table.gatewayUser), index().on(table.expiresAt)],
);

/** Reports of the payment provider that were taken. */
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
    /** SHA-256 of the key in hexadecimal: who reads the database can consume none. */
    keyHash: text().primaryKey(),
    service: text().notNull(),
    days: integer().notNull(),
    seats: integer().notNull(),
    usedAt: time(),
    usedBy: uuid().references(() => users.id, { onDelete: 'set null' }),
  },
  // For the deletion of accounts.
  (table) => [index().on(table.usedBy)],
);
