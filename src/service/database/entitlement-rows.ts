import { entitlementOf, type Entitlement } from '#shared/plan/entitlement.ts';
import type { Period } from '#shared/plan/ledger.ts';
import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import { type users } from './schema/account.ts';
import { entitlements } from './schema/entitlements.ts';

export type EntitlementRow = typeof entitlements.$inferSelect;
type Owner = Pick<typeof users.$inferSelect, 'id' | 'firstOrderDone' | 'trialExpiredAt' | 'trialTraffic'>;

/** A person, and the owner of the plan that they use: a member's payer, otherwise the person. */
export interface PlanUser {
  user: { id: string };
  owner: Owner;
}

function periodOf(row: EntitlementRow): Period {
  const { service: plan, seats, serverLevel, devices, traffic, rate } = row;
  return {
    terms: { plan, seats, serverLevel, devices, traffic, rate },
    from: row.from.getTime(),
    to: row.to.getTime(),
    grants: row.sources,
  };
}

export function rowOfPeriod(userId: string, { terms, from, to, grants }: Period): EntitlementRow {
  const { plan, ...limits } = terms;
  return { ...limits, userId, service: plan, from: new Date(from), to: new Date(to), sources: [...grants] };
}

/** `rows`: the owner's periods, in order. */
export function entitlementOfRows(
  { user, owner }: PlanUser,
  rows: readonly EntitlementRow[],
  now: Date,
): Entitlement {
  const holder = {
    periods: rows.map(periodOf),
    hasBought: owner.firstOrderDone,
    trialUntil: owner.trialExpiredAt?.getTime() ?? null,
    trialTraffic: owner.trialTraffic,
  };
  return entitlementOf({ isMember: user.id !== owner.id, holder }, now.getTime());
}

/** What a person may use now, read with one query. */
export async function readEntitlement(database: Database, person: PlanUser, now: Date): Promise<Entitlement> {
  const rows = await prepared(database, 'entitlement', () =>
    database
      .select()
      .from(entitlements)
      .where(eq(entitlements.userId, sql.placeholder('ownerId')))
      .orderBy(asc(entitlements.from)),
  ).execute({ ownerId: person.owner.id });
  return entitlementOfRows(person, rows, now);
}
