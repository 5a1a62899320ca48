import { accountChange, type AccountChange } from '#shared/api/events.ts';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from './database.ts';

/** The channel (PostgreSQL's NOTIFY) on which all processes of the service hear what has changed of which accounts. */
export const accountChannel = 'account_changed';

export interface ChangedAccount {
  change: AccountChange;
  userId: string;
  /** The device that asked for it, and has its answer, by its name at gateways. */
  by: string | undefined;
}

/** Notifies, once `transaction` is committed, that something has changed of these accounts. */
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

/** What a notification says; undefined if it is none of ours. */
export function readChangedAccount(text: string): ChangedAccount | undefined {
  const parsed = payload.safeParse(text.split(' '));
  if (!parsed.success) return undefined;
  const [change, userId, by] = parsed.data;
  return { change, userId, by };
}
