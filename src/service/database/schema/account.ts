import type { UserLevel } from '#shared/entities.ts';
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { time, bytes } from './columns.ts';

export const users = pgTable(
  'users',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** In lower case. */
    email: text().notNull().unique(),
    level: integer().$type<UserLevel>().notNull().default(1),
    /** For a child member (level 3), the payer whose plan it uses. */
    payerId: uuid().references((): AnyPgColumn => users.id),
    firstOrderDone: boolean().notNull().default(false),
    /** Identifies the account's plan, whichever plan that is. */
    serviceId: uuid().notNull().defaultRandom(),
    /** Null if the account has no trial. */
    trialExpiredAt: time(),
    /** Bytes included in the trial; 0 means unlimited. */
    trialTraffic: bytes(),
    createdAt: time().notNull(),
  },
  // For counting members, and for listing them by email.
  (table) => [index().on(table.payerId, table.email)],
);

/** People who have had a trial, even if their account is gone. */
export const trialsGiven = pgTable('trials_given', {
  /** A keyed hash of the mailbox, which can be recognised but not read. */
  person: text().primaryKey(),
  givenAt: time().notNull(),
});

export const devices = pgTable(
  'devices',
  {
    /**
     * Chosen by the device. Each account on it has its own row, so that signing in to one does not end the session of
     * another.
     */
    deviceId: text().notNull(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** SHA-256 of the token in hexadecimal; the token itself is never stored. */
    tokenHash: text().notNull(),
    /**
     * Its user name at gateways: the device's id, or another UUID if another account on the device already has that.
     */
    gatewayUser: text().notNull().unique(),
    /**
     * A crypt(3) hash of the token, for devices that signed in when the token was still the password at gateways, until
     * they ask for passwords of gateways.
     */
    gatewayPasswordHash: text(),
    /** Whether a plan's device limit counts it; browsers are not counted. */
    isDevice: boolean().notNull().default(true),
    createdAt: time().notNull(),
    lastSeenAt: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.userId] }), index().on(table.userId)],
);
