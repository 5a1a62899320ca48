import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient } from 'pg';
import { isConnectionStale } from './unavailable.ts';

/**
 * A database on a pool of connections (of `LastingClient`) whose transactions survive losing their connection, as when
 * a server restarts. With Drizzle's own transactions (drizzle-team/drizzle-orm, issues 6114 and 6241), one that could
 * not begin would never return its connection, until the pool has none left; and one that could not be rolled back
 * would be passed on to the next user. One that failed because of its connection does not return it, either: the pool
 * itself does so only for statements outside of transactions. `open` creates a database on the pool or on one of its
 * connections.
 */
export function withLastingTransactions<Schema extends Record<string, unknown>>(
  pool: Pool,
  open: (connection: Pool | PoolClient) => NodePgDatabase<Schema>,
): NodePgDatabase<Schema> {
  const database = open(pool);
  /** Opening one takes longer than a statement. */
  const opened = new WeakMap<PoolClient, NodePgDatabase<Schema>>();
  function on(connection: PoolClient): NodePgDatabase<Schema> {
    const known = opened.get(connection) ?? open(connection);
    opened.set(connection, known);
    return known;
  }

  database.transaction = async (work, config) => {
    const connection = await pool.connect();
    let workFailure: unknown;
    let isUsable = false;
    try {
      const result = await on(connection).transaction(async (transaction) => {
        try {
          return await work(transaction);
        } catch (error) {
          workFailure = error;
          throw error;
        }
      }, config);
      isUsable = true;
      return result;
    } catch (error) {
      // Any other error comes from the beginning, the commit or the rollback.
      isUsable = error === workFailure && !isConnectionStale(error);
      throw workFailure ?? error;
    } finally {
      connection.release(!isUsable);
    }
  };
  return database;
}
