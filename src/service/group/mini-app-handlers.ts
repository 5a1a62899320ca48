import { miniAppPriority } from '#shared/constants.ts';
import type { MiniApp, MiniAppDraft } from '#shared/entities.ts';
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
import { miniApps } from '../database/schema/group.ts';
import { cleanLabel, type UserLabels } from './user-labels.ts';

const maxMiniApps = 100;
const miniAppId = z.uuid();
const iconPrefix = 'data:image/png;base64,';

/** Highest priority first. */
const inOrder = [desc(miniApps.priority), asc(miniApps.createdAt), asc(miniApps.id)];

/** When a mini-app was created, with PostgreSQL's precision: in microseconds since 1970. */
const madeAt = sql<string>`(extract(epoch from ${miniApps.createdAt}) * 1000000)::bigint`;
/** The position at which a page of mini-apps ends. */
const position = z.tuple([
  z.int().min(miniAppPriority.min).max(miniAppPriority.max),
  z.string().regex(/^\d{1,18}$/),
  miniAppId,
]);

/** Rows that come after a position in `inOrder`. */
function comesAfter([priority, time, id]: z.output<typeof position>): SQL | undefined {
  return or(
    lt(miniApps.priority, priority),
    and(eq(miniApps.priority, priority), sql`(${madeAt}, ${miniApps.id}) > (${time}::bigint, ${id}::uuid)`),
  );
}

/** The mini-apps that a payer, or a user without a plan, offers to the group. */
export function miniAppHandlers({
  database,
  userLabels,
  now,
}: {
  database: Database;
  userLabels: () => UserLabels;
  now: () => Date;
}): Pick<Handlers, 'groupApps' | 'groupApp' | 'createApp' | 'editApp' | 'deleteApp' | 'myApps'> {
  const miniAppsOf = (ownerId: string) =>
    database
      .select()
      .from(miniApps)
      .where(eq(miniApps.ownerId, ownerId))
      .orderBy(...inOrder);
  const oneMiniApp = (id: string, ownerId: string) => and(eq(miniApps.id, id), eq(miniApps.ownerId, ownerId));
  return {
    async groupApps({ page, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const cursor = readCursor(position, page.cursor);
      if (!cursor.ok) return refused('invalid-fields');
      const rows = await database
        .select({ miniApp: miniApps, madeAt: sql<string>`${madeAt}::text` })
        .from(miniApps)
        .where(and(eq(miniApps.ownerId, user.id), cursor.after && comesAfter(cursor.after)))
        .orderBy(...inOrder)
        .limit(page.limit + 1);
      const positionOf = (row: (typeof rows)[number]) => [row.miniApp.priority, row.madeAt, row.miniApp.id];
      return done(pageOfRows(rows, page.limit, { itemOf: ({ miniApp }) => miniAppOf(miniApp), positionOf }));
    },

    async groupApp({ params, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = miniAppId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      const [miniApp] = await database.select().from(miniApps).where(oneMiniApp(id.data, user.id));
      return miniApp ? done(miniAppOf(miniApp)) : refused('not-found');
    },

    async createApp({ body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const checked = checkDraft(body);
      if (!checked.ok) return refused(checked.reason);
      return database.transaction(async (transaction) => {
        // Other requests that create a mini-app for the same group wait here, so that two requests cannot see the same
        // count.
        const [owner] = await transaction.select().from(users).where(eq(users.id, user.id)).for('update');
        if (!owner) return refused('not-signed-in');
        if (isMemberLevel(owner.level)) return refused('members-may-not');
        const count = await transaction.$count(miniApps, eq(miniApps.ownerId, owner.id));
        if (count >= maxMiniApps) return refused('too-many-apps');
        const values = { ...checked.draft, ownerId: owner.id, createdAt: now() };
        const [miniApp] = await transaction.insert(miniApps).values(values).returning();
        if (!miniApp) throw new Error('an inserted row was not returned');
        return done(miniAppOf(miniApp));
      });
    },

    async editApp({ params, body, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = miniAppId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      if (body.id !== undefined && body.id !== params.id) return refused('invalid-fields');
      const checked = checkDraft(body);
      if (!checked.ok) return refused(checked.reason);
      const [miniApp] = await database
        .update(miniApps)
        .set(checked.draft)
        .where(oneMiniApp(id.data, user.id))
        .returning();
      return miniApp ? done(miniAppOf(miniApp)) : refused('not-found');
    },

    async deleteApp({ params, device: { user } }) {
      if (isMemberLevel(user.level)) return refused('members-may-not');
      const id = miniAppId.safeParse(params.id);
      if (!id.success) return refused('not-found');
      const deleted = await database.delete(miniApps).where(oneMiniApp(id.data, user.id)).returning();
      return deleted.length > 0 ? done(null) : refused('not-found');
    },

    async myApps({ device: { user, owner } }) {
      const offered = await miniAppsOf(owner.id);
      const labels = userLabels().get(user.email);
      // People who manage the mini-apps see all of them, whatever labels they require.
      const isMine = ({ requireLabels }: { requireLabels: string[] }) =>
        !isMemberLevel(user.level) || requireLabels.every((label) => labels?.has(label) ?? false);
      return done({ items: offered.filter(isMine).map(miniAppOf) });
    },
  };
}

function miniAppOf({ id, name, type, link, icon, priority, requireLabels }: MiniApp): MiniApp {
  return { id, name, type, link, icon, priority, requireLabels };
}

/**
 * Checks what the contract's schema cannot: returns the draft in the form in which it is stored, or what is wrong with
 * it.
 */
function checkDraft(
  draft: MiniAppDraft,
): { ok: true; draft: MiniAppDraft } | { ok: false; reason: RefusalReason } {
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
