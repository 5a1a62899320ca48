import type { AppType } from '#shared/entities.ts';
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { users } from './account.ts';
import { time } from './columns.ts';

/**
 * Who was asked to become a member of whose group. Rows of invitations that are over stay for a while: how many mails
 * somebody has sent, or got, is counted by them.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid().primaryKey().defaultRandom(),
    payerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Of the invited person, in lower case; whether there is an account with it does not matter. */
    email: text().notNull(),
    state: text().$type<InvitationState>().notNull().default('open'),
    /** Whether a mail was to be sent. */
    isMailed: boolean().notNull(),
    /** Whether the mail server refused that mail, as the payer is told. */
    mailFailed: boolean().notNull().default(false),
    createdAt: time().notNull(),
    /** An open invitation is over from then on. */
    expiresAt: time().notNull(),
  },
  (table) => [
    index().on(table.payerId, table.email),
    index().on(table.email),
    index().on(table.createdAt),
    uniqueIndex('invitations_one_open')
      .on(table.payerId, table.email)
      .where(sql`${table.state} = 'open'`),
  ],
);

export type InvitationState = 'open' | 'accepted' | 'declined' | 'withdrawn';

/** Apps that a payer, or a user without a plan, offers to the group. */
export const groupApps = pgTable(
  'group_apps',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    type: text().$type<AppType>().notNull(),
    link: text().notNull(),
    icon: text().notNull(),
    priority: integer().notNull(),
    requireLabels: jsonb().$type<string[]>().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index().on(table.ownerId)],
);
