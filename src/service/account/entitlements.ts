import { periodsOf, type LedgerEntry } from '#shared/plan/ledger.ts';
import { eq } from 'drizzle-orm';
import { notifyAccounts } from '../database/account-changes.ts';
import { lockFor, type Database } from '../database/database.ts';
import { rowOfPeriod } from '../database/entitlement-rows.ts';
import { users } from '../database/schema/account.ts';
import { entitlements, grants, planKinds, revocations } from '../database/schema/entitlements.ts';
import { publishGatewayAccess } from '../gateways/gateway-access.ts';
import type { GatewayAccess } from '../gateways/gateway-port.ts';

const dayMs = 24 * 3_600_000;

/** What was bought: a number of days of a plan, and its seats. */
export interface PlanPurchase {
  service: string;
  days: number;
  seats: number;
}

/** Where a grant comes from; nothing is granted twice for the same source. */
export type GrantSource = `order:${string}` | `license-key:${string}`;

export interface AccountChanged {
  /** `entitlement` by default. */
  change?: 'entitlement' | 'devices';
  /** Deleted devices, by their user names at gateways. */
  gatewayUsers?: readonly string[];
  /** The gateway user name of the device that asked for it, if it may have signed itself out. */
  by?: string;
}

/** Changes plans, inside the transaction of the cause; the consequences are published in the same transaction. */
export interface Entitlements {
  /**
   * Adds what was bought to an account's ledger. From then on, the account is a payer, and no longer a member of
   * anybody's plan. False, without any change, if this source has granted before. Revocations that arrived earlier
   * apply.
   */
  grant(
    transaction: Database,
    bought: { userId: string; source: GrantSource; purchase: PlanPurchase },
  ): Promise<boolean>;
  /**
   * Takes back what a source granted, as far as it is not used up: after a refund, or during a dispute. `share` is the
   * total part to take back, 0 to 1 (the default); 0 restores everything after a dispute was won. Repeating a
   * revocation changes nothing, and one that arrives before its grant applies when the grant arrives.
   */
  revoke(transaction: Database, taken: { source: GrantSource; share?: number }): Promise<void>;
  /**
   * Something else that decides who may use what has changed for these accounts: their members, their devices, or that
   * they were deleted.
   */
  changed(transaction: Database, userIds: readonly string[], how?: AccountChanged): Promise<void>;
}

export function createEntitlements(options: {
  gateways: GatewayAccess | undefined;
  now: () => Date;
}): Entitlements {
  const { gateways } = options;

  const changed: Entitlements['changed'] = async (transaction, userIds, how = {}) => {
    const { change = 'entitlement', gatewayUsers = [], by } = how;
    await notifyAccounts(transaction, change, userIds, by);
    if (gateways) {
      await publishGatewayAccess(transaction, gateways, options.now(), { userIds, gatewayUsers });
    }
  };

  /** The account's members use its plan, too. */
  async function planChanged(transaction: Database, userId: string): Promise<void> {
    await writePeriods(transaction, userId);
    const members = await transaction.select({ id: users.id }).from(users).where(eq(users.payerId, userId));
    await changed(transaction, [userId, ...members.map(({ id }) => id)]);
  }

  return {
    changed,

    async grant(transaction, { userId, source, purchase }) {
      await lockFor(transaction, 'groups');
      const { service, seats, days } = purchase;
      const [kind] = await transaction.select().from(planKinds).where(eq(planKinds.service, service));
      const made = await transaction
        .insert(grants)
        .values({
          userId,
          source,
          service,
          seats,
          serverLevel: kind?.serverLevel ?? null,
          devices: kind?.devices ?? null,
          traffic: kind?.traffic ?? 0,
          rate: kind?.rate ?? Math.max(seats, 1),
          durationMs: days * dayMs,
          members: await membersOf(transaction, userId),
          grantedAt: options.now(),
        })
        .onConflictDoNothing({ target: grants.source })
        .returning({ id: grants.id });
      if (made.length === 0) return false;
      const payer = { level: 2, firstOrderDone: true, payerId: null } as const;
      await transaction.update(users).set(payer).where(eq(users.id, userId));
      await planChanged(transaction, userId);
      return true;
    },

    async revoke(transaction, { source, share = 1 }) {
      await lockFor(transaction, 'groups');
      const [grant] = await transaction.select().from(grants).where(eq(grants.source, source));
      const userId = grant?.userId ?? undefined;
      const members = userId === undefined ? 0 : await membersOf(transaction, userId);
      await transaction.insert(revocations).values({ source, share, members, revokedAt: options.now() });
      if (userId !== undefined) await planChanged(transaction, userId);
    },
  };
}

const membersOf = (database: Database, userId: string) => database.$count(users, eq(users.payerId, userId));

/** Computes the account's periods again from its ledger. */
async function writePeriods(transaction: Database, userId: string): Promise<void> {
  const granted = await transaction.select().from(grants).where(eq(grants.userId, userId));
  const taken = await transaction
    .select({ revocation: revocations })
    .from(revocations)
    .innerJoin(grants, eq(grants.source, revocations.source))
    .where(eq(grants.userId, userId));
  const ledger: { id: number; entry: LedgerEntry }[] = [
    ...taken.map(({ revocation: { id, source, share, members, revokedAt } }) => {
      const at = revokedAt.getTime();
      return { id, entry: { kind: 'revocation' as const, grant: source, at, share, members } };
    }),
    ...granted.map((row) => {
      const { id, source, service: plan, seats, serverLevel, devices, traffic, rate } = row;
      const terms = { plan, seats, serverLevel, devices, traffic, rate };
      const { durationMs, members } = row;
      const at = row.grantedAt.getTime();
      return { id, entry: { ...terms, kind: 'grant' as const, id: source, at, durationMs, members } };
    }),
  ];
  const entries = ledger.toSorted((one, other) => one.id - other.id).map(({ entry }) => entry);
  const rows = periodsOf(entries).map((period) => rowOfPeriod(userId, period));
  await transaction.delete(entitlements).where(eq(entitlements.userId, userId));
  if (rows.length > 0) await transaction.insert(entitlements).values(rows);
}
