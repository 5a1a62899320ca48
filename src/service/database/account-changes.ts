import { accountChange, type AccountChange } from '#shared/api/events.ts';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from './database.ts';

/**
 * The channel (PostgreSQL's NOTIFY) on which all processes of the service hear which accounts have changed, and what.
 */
export const accountChannel = 'account_changed';

export interface ChangedAccount {
  change: AccountChange;
  userId: string;
  /** The gateway user name of the device that asked for the change, and has its answer. */
  by: string | undefined;
}

/** Notifies, once `transaction` is committed, that something has changed in these accounts. */
export async function notifyAccounts(
  transaction: Database,
  change: AccountChange,
  userIds: readonly string[],
  by?: ChangedAccount['by'],
): Promise<void> {
  for (const id of new Set(userIds)) {
    const text = [change, id, ...(by === undefined ? [] : [by])].join(' ');
    await transaction.execute(sql`select pg_notify(${accountChannel}, ${text})`);
  }
}

const payload = z.tuple([accountChange, z.uuid(), z.string().optional()]);

/** The content of a notification; undefined if it is not one of ours. */
export function readChangedAccount(text: string): ChangedAccount | undefined {
  const parsed = payload.safeParse(text.split(' '));
  if (!parsed.success) return undefined;
  const [change, userId, by] = parsed.data;
  return { change, userId, by };
}
