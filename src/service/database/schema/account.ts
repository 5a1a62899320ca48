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
    /** The payer of a child member (level 3); a member uses the payer's plan. */
    payerId: uuid().references((): AnyPgColumn => users.id),
    firstOrderDone: boolean().notNull().default(false),
    /** What the account's plan, whichever it is, is known by. */
    serviceId: uuid().notNull().defaultRandom(),
    /** Null when the account has no trial. */
    trialExpiredAt: time(),
    /** Bytes that the trial carries; 0 means unlimited. */
    trialTraffic: bytes(),
    createdAt: time().notNull(),
  },
  // Members are counted, and listed by their email.
  (table) => [index().on(table.payerId, table.email)],
);

/** Who has had a trial, though the account is gone. */
export const trialsGiven = pgTable('trials_given', {
  /** A keyed hash of the mail box: it can be recognised, and not read. */
  person: text().primaryKey(),
  givenAt: time().notNull(),
});

export const devices = pgTable(
  'devices',
  {
    /** Made by the device; accounts that share it have a row each, so that none ends the other's session. */
    deviceId: text().notNull(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** SHA-256 of the token in hexadecimal; the token itself is never stored. */
    tokenHash: text().notNull(),
    /** Its user name at gateways: the device's id, or another UUID where another account came first. */
    gatewayUser: text().notNull().unique(),
    /**
     * The token as crypt(3) hashes it: of devices that signed in when the token was the password at gateways, until
     * they ask for passwords of gateways.
     */
    gatewayPasswordHash: text(),
    /** Whether it is one of the devices that a plan limits; browsers are not. */
    isDevice: boolean().notNull().default(true),
    createdAt: time().notNull(),
    lastSeenAt: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.userId] }), index().on(table.userId)],
);
