import type { MiniAppType } from '#shared/entities.ts';
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { users } from './account.ts';
import { time } from './columns.ts';

/**
 * Who was invited to whose group. Rows stay for a while after an invitation is over, because they count how many mails
 * somebody has sent or received.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid().primaryKey().defaultRandom(),
    payerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The invited person's email, in lower case, with or without an account. */
    email: text().notNull(),
    state: text().$type<InvitationState>().notNull().default('open'),
    /** Whether a mail should be sent. */
    isMailed: boolean().notNull(),
    /** Whether the mail server refused the mail; the payer is told. */
    mailFailed: boolean().notNull().default(false),
    createdAt: time().notNull(),
    /** An open invitation expires at this time. */
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

/** Mini-apps that a payer, or a user without a plan, offers to the group. */
export const miniApps = pgTable(
  'group_apps',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    type: text().$type<MiniAppType>().notNull(),
    link: text().notNull(),
    icon: text().notNull(),
    priority: integer().notNull(),
    requireLabels: jsonb().$type<string[]>().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index().on(table.ownerId)],
);
