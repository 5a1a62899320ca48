import { appPriority } from '#shared/constants.ts';
import type { AppEntry, AppEntryDraft } from '#shared/entities.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { and, asc, desc, eq, lt, or, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { cleanText } from '../http/clean-text.ts';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { pageOfRows, readCursor } from '../http/page.ts';
import { isPngIcon } from './png-icon.ts';
import { done, refused, type RefusalReason } from '../http/refusal.ts';
import { users } from '../database/schema/account.ts';
import { groupApps } from '../database/schema/group.ts';
import { cleanLabel, type UserLabels } from './user-labels.ts';

const maxAppsPerGroup = 100;
const appId = z.uuid();
const iconPrefix = 'data:image/png;base64,';

/** Highest priority first. */
const inOrder = [desc(groupApps.priority), asc(groupApps.createdAt), asc(groupApps.id)];

/** When an app was created, with PostgreSQL's precision: in microseconds since 1970. */
const madeAt = sql<string>`(extract(epoch from ${groupApps.createdAt}) * 1000000)::bigint`;
/** The position at which a page of apps ends. */
const position = z.tuple([
  z.int().min(appPriority.min).max(appPriority.max),
  z.string().regex(/^\d{1,18}$/),
  appId,
]);

/** Rows that come after a position in `inOrder`. */
function comesAfter([priority, time, id]: z.output<typeof position>): SQL | undefined {
  return or(
    lt(groupApps.priority, priority),
    and(eq(groupApps.priority, priority), sql`(${madeAt}, ${groupApps.id}) > (${time}::bigint, ${id}::uuid)`),
  );
}

/** The apps that a payer, or a user without a plan, offers to the group. */
export function groupAppHandlers({
  database,
  userLabels,
  now,
}: {
  database: Database;
  userLabels: UserLabels;
  now: () => Date;
}): Pick<Handlers, 'groupApps' | 'groupApp' | 'createApp' | 'editApp' | 'deleteApp' | 'myApps'> {
  const appsOf = (ownerId: string) =>
    database
      .select()
      .from(groupApps)
      .where(eq(groupApps.ownerId, ownerId))
      .orderBy(...inOrder);
  const oneApp = (id: string, ownerId: string) => and(eq(groupApps.id, id), eq(groupApps.ownerId, ownerId));
  return {
    async groupApps({ page, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const cursor = readCursor(position, page.cursor);
      if (!cursor.ok) return refused('invalid-fields');
      const rows = await database
        .select({ app: groupApps, madeAt: sql<string>`${madeAt}::text` })
        .from(groupApps)
        .where(and(eq(groupApps.ownerId, user.id), cursor.after && comesAfter(cursor.after)))
        .orderBy(...inOrder)
        .limit(page.limit + 1);
      const positionOf = (row: (typeof rows)[number]) => [row.app.priority, row.madeAt, row.app.id];
      return done(pageOfRows(rows, page.limit, { itemOf: ({ app }) => appEntryOf(app), positionOf }));
    },

    async groupApp({ params, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = appId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      const [app] = await database.select().from(groupApps).where(oneApp(id.data, user.id));
      return app ? done(appEntryOf(app)) : refused('not-found');
    },

    async createApp({ body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const checked = checkDraft(body);
      if (!checked.ok) return refused(checked.reason);
      return database.transaction(async (transaction) => {
        // Other requests that create an app for the same group wait here, so that two requests cannot see the same
        // count.
        const [owner] = await transaction.select().from(users).where(eq(users.id, user.id)).for('update');
        if (!owner) return refused('not-signed-in');
        if (isMemberLevel(owner.level)) return refused('members-may-not');
        const count = await transaction.$count(groupApps, eq(groupApps.ownerId, owner.id));
        if (count >= maxAppsPerGroup) return refused('too-many-apps');
        const values = { ...checked.draft, ownerId: owner.id, createdAt: now() };
        const [app] = await transaction.insert(groupApps).values(values).returning();
        if (!app) throw new Error('an inserted row was not returned');
        return done(appEntryOf(app));
      });
    },

    async editApp({ params, body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = appId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      if (body.id !== undefined && body.id !== params.id) return refused('invalid-fields');
      const checked = checkDraft(body);
      if (!checked.ok) return refused(checked.reason);
      const [app] = await database
        .update(groupApps)
        .set(checked.draft)
        .where(oneApp(id.data, user.id))
        .returning();
      return app ? done(appEntryOf(app)) : refused('not-found');
    },

    async deleteApp({ params, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = appId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      const deleted = await database.delete(groupApps).where(oneApp(id.data, user.id)).returning();
      return deleted.length > 0 ? done(null) : refused('not-found');
    },

    async myApps({ device: { user, owner } }) {
      const apps = await appsOf(owner.id);
      const labels = userLabels.get(user.email);
      // People who manage the apps see all of them, whatever labels they require.
      const isMine = ({ requireLabels }: { requireLabels: string[] }) =>
        !isMemberLevel(user.level) || requireLabels.every((label) => labels?.has(label) ?? false);
      return done({ items: apps.filter(isMine).map(appEntryOf) });
    },
  };
}

function appEntryOf({ id, name, type, link, icon, priority, requireLabels }: AppEntry): AppEntry {
  return { id, name, type, link, icon, priority, requireLabels };
}

/**
 * Checks what the contract's schema cannot: returns the draft in the form in which it is stored, or what is wrong with
 * it.
 */
function checkDraft(
  draft: AppEntryDraft,
): { ok: true; draft: AppEntryDraft } | { ok: false; reason: RefusalReason } {
  const name = cleanText(draft.name, 64);
  if (name === '') return { ok: false, reason: 'invalid-app-name' };
  const link = URL.parse(draft.link);
  if (link?.protocol !== 'https:' && link?.protocol !== 'http:') {
    return { ok: false, reason: 'invalid-app-link' };
  }
  if (draft.icon !== '' && !isPngIcon(Buffer.from(draft.icon.slice(iconPrefix.length), 'base64'))) {
    return { ok: false, reason: 'invalid-app-icon' };
  }
  const requireLabels = draft.requireLabels.map(cleanLabel);
  const { type, icon, priority } = draft;
  return { ok: true, draft: { name, type, link: link.href, icon, priority, requireLabels } };
}
