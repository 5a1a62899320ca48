import { bigint, integer, timestamp } from 'drizzle-orm/pg-core';

/**
 * Columns that several tables of the service have. After a change in this folder: `drizzle-kit generate --config
 * src/service/database/drizzle.config.ts`.
 */

export const time = () => timestamp({ withTimezone: true });

export const bytes = () => bigint({ mode: 'number' }).notNull().default(0);

export const planLimits = {
  /** The highest level of server items that may be used; null means every level. */
  serverLevel: integer(),
  /** How many devices of each person may use it at once; null means any number. */
  devices: integer(),
  /** Bytes for every 30 days; 0 means unlimited. */
  traffic: bytes(),
};
