import { bigint, boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

export const authCodes = pgTable(
  'auth_codes',
  {
    authId: uuid().primaryKey(),
    email: text().notNull(),
    /** Only the device that asked for the code can use it. */
    deviceId: text().notNull(),
    codeHash: text().notNull(),
    tries: integer().notNull().default(0),
    createdAt: time().notNull(),
    expiresAt: time().notNull(),
    usedAt: time(),
    /** Whether the device was signed in to the account when it asked. */
    isKnownDevice: boolean().notNull().default(false),
  },
  (table) => [index().on(table.email, table.createdAt), index().on(table.createdAt)],
);

/**
 * What is left of the limits on strangers, see limits/limiter.ts. Unlogged (the migration says so, because Drizzle
 * cannot): a crash of the database empties it, and in exchange nobody waits for the disk.
 */
export const rateLimits = pgTable('rate_limits', {
  /** A keyed hash of the limit's name and whose bucket it is. */
  key: text().primaryKey(),
  /** When the bucket will be full again, in milliseconds since 1970. */
  fullAt: bigint({ mode: 'number' }).notNull(),
});
