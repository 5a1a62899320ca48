import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { users, devices } from './account.ts';
import { time, bytes } from './columns.ts';

/** A device's password at a gateway, as the gateway stores it. The password itself is derived, and never stored. */
export const gatewayPasswords = pgTable(
  'gateway_passwords',
  {
    gatewayUser: text()
      .notNull()
      .references(() => devices.gatewayUser, { onDelete: 'cascade' }),
    /** The gateways that share it, see `GatewayAccess.placeOf`. */
    place: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayUser, table.place] })],
);

/** Lets a process notice that its key is not the service's. At most one row. */
export const serviceKeyChecks = pgTable('service_key_checks', { hash: text().primaryKey() });

/** What an account has used since `since`, when its trial or the current month of its plan began. */
export const traffic = pgTable('traffic', {
  userId: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  since: time().notNull().default(new Date(0)),
  in: bytes(),
  out: bytes(),
});

/** Gateway sessions that are already included in `traffic`, while the gateway's record of them still exists. */
export const countedSessions = pgTable('counted_sessions', { name: text().primaryKey() });

export const serverGroups = pgTable('server_groups', {
  id: text().primaryKey(),
  name: text().notNull(),
  isTrial: boolean().notNull(),
  position: integer().notNull(),
});

export const serverGroupItems = pgTable(
  'server_group_items',
  {
    id: text().primaryKey(),
    groupId: text()
      .notNull()
      .references(() => serverGroups.id, { onDelete: 'cascade' }),
    level: integer().notNull(),
    position: integer().notNull(),
  },
  (table) => [index().on(table.groupId)],
);

export const servers = pgTable(
  'servers',
  {
    serverId: text().primaryKey(),
    itemId: text()
      .notNull()
      .references(() => serverGroupItems.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Null means the default of specification §7. */
    protocol: text(),
    domain: text().notNull(),
    port: integer(),
    /** The path where its sign-in begins; null means the root. */
    path: text(),
    /** Whether only the networks that its gateway names go through the tunnel. */
    split: boolean(),
    /** Whether its network may open connections to the user's computer. */
    incoming: boolean(),
    /** ISO 3166-1 alpha-2, in capitals; null if not specified. */
    country: text(),
    city: text(),
    /** From 0 to 1, as the operator defines it; null if not specified. */
    load: doublePrecision(),
    position: integer().notNull(),
  },
  (table) => [
    index().on(table.itemId),
    // Operators write these by hand, and apps refuse a list with anything else.
    check('servers_country', sql`${table.country} ~ '^[A-Z]{2}$'`),
    check('servers_city', sql`length(${table.city}) <= 100`),
    check('servers_load', sql`${table.load} between 0 and 1`),
  ],
);
