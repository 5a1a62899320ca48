import { bigint, customType, integer } from 'drizzle-orm/pg-core';

/**
 * Columns that several tables of the service have. After a change in this folder: `drizzle-kit generate --config
 * src/service/database/drizzle.config.ts`.
 */

const earliest = '0001-01-01T00:00:00.000Z';
const latest = '9999-12-31T23:59:59.999Z';

/**
 * Operators may write `infinity`, or a year beyond those that calls can tell, for what has no end. A `Date` of it would
 * be invalid, and neither before nor after any other.
 */
export const time = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  toDriver: (date) => date.toISOString(),
  fromDriver(text) {
    if (/^\d{4}-.*(?<! BC)$/.test(text)) return new Date(text);
    return new Date(/^-| BC$/.test(text) ? earliest : latest);
  },
});

export const bytes = () => bigint({ mode: 'number' }).notNull().default(0);

export const planLimits = {
  /** The highest level of server items that may be used; null means every level. */
  serverLevel: integer(),
  /** How many devices of each person may use it at once; null means any number. */
  devices: integer(),
  /** Bytes for every 30 days; 0 means unlimited. */
  traffic: bytes(),
};
