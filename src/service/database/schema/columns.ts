import { bigint, integer, timestamp } from 'drizzle-orm/pg-core';

/**
 * What several of the service's tables have. After a change in this folder:
 * `drizzle-kit generate --config src/service/database/drizzle.config.ts`.
 */

export const time = () => timestamp({ withTimezone: true });

export const bytes = () => bigint({ mode: 'number' }).notNull().default(0);

export const planLimits = {
  /** The highest level of a server item that may be used; null: every level. */
  serverLevel: integer(),
  /** Devices of each person that may use it at once; null: any number. */
  devices: integer(),
  /** Bytes for every 30 days of it; 0 means unlimited. */
  traffic: bytes(),
};
