import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient } from 'pg';

/**
 * A database on a pool of connections, whose transactions may lose theirs: a server that is restarted ends all of them.
 * By Drizzle's own (drizzle-team/drizzle-orm, issues 6114 and 6241) the process would end, as nobody hears what such a
 * connection says; one that could not begin would never be given back, until the pool has none left; and one that could
 * not be rolled back would be given to the next. `open` makes a database on the pool, or on one of its connections.
 */
export function withLastingTransactions<Schema extends Record<string, unknown>>(
  pool: Pool,
  open: (connection: Pool | PoolClient) => NodePgDatabase<Schema>,
): NodePgDatabase<Schema> {
  const database = open(pool);
  /** To open one takes longer than a statement does. */
  const opened = new WeakMap<PoolClient, NodePgDatabase<Schema>>();
  function on(connection: PoolClient): NodePgDatabase<Schema> {
    const known = opened.get(connection) ?? open(connection);
    opened.set(connection, known);
    return known;
  }

  database.transaction = async (work, config) => {
    const connection = await pool.connect();
    // What waits for an answer fails, too, and says so.
    const hear = () => undefined;
    connection.on('error', hear);
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
      // Another error is one of the beginning, the commit or the rollback.
      isUsable = error === workFailure;
      throw workFailure ?? error;
    } finally {
      connection.off('error', hear);
      connection.release(!isUsable);
    }
  };
  return database;
}
