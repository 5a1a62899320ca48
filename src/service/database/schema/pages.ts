import type { Language, PageNoteId } from '#shared/entities.ts';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

export const pageNotes = pgTable(
  'page_notes',
  {
    id: text().primaryKey(),
    pageName: text().$type<PageNoteId>().notNull(),
    /** Null: for every language. */
    language: text().$type<Language>(),
    title: text().notNull(),
    htmlBody: text().notNull(),
    clickAction: text(),
    redisplayLockSeconds: integer().notNull(),
    position: integer().notNull(),
  },
  (table) => [index().on(table.pageName)],
);

/** Names of the programs whose traffic belongs in the tunnel in app mode. */
export const routeApps = pgTable('route_apps', { name: text().primaryKey() });

/** Texts that replace those bundled with the pages. */
export const translationOverrides = pgTable(
  'translation_overrides',
  {
    language: text().$type<Language>().notNull(),
    key: text().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.language, table.key] })],
);
