import { callbackify } from 'node:util';
import { readOnlyFailure } from './unavailable.ts';

interface Asked {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
}

/**
 * Lets a pool take no new connection to a server that takes no changes (pg-pool, `verify`), as libpq does with
 * `target_session_attrs=read-write`: after a failover, an address may lead to a standby for a while, which answers what
 * only reads, with what was true before.
 */
export const refuseReadOnly: (connection: Asked, done: (error?: Error) => void) => void = callbackify(
  async (connection: Asked) => {
    const { rows } = await connection.query('show transaction_read_only');
    if (rows[0]?.['transaction_read_only'] !== 'off') throw readOnlyFailure();
  },
);
