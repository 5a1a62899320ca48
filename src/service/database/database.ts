import { existsSync } from 'node:fs';
import path from 'node:path';
import { sql, type SQL } from 'drizzle-orm';
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres';
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Client, Pool } from 'pg';
import { fromPglite, type ConstructorOptions } from 'pg-boss';
import { makeDirectory } from '../make-directory.ts';
import { lockBySocket } from '#node/os/socket-lock.ts';
import type { DatabaseConfig } from './database-config.ts';
import { LastingClient } from './lasting-client.ts';
import { withLastingTransactions } from './lasting-transactions.ts';
import * as accountTables from './schema/account.ts';
import * as billingTables from './schema/billing.ts';
import * as entitlementsTables from './schema/entitlements.ts';
import * as gatewaysTables from './schema/gateways.ts';
import * as groupTables from './schema/group.ts';
import * as pagesTables from './schema/pages.ts';
import * as signInTables from './schema/sign-in.ts';
import * as wordgateTables from './schema/wordgate.ts';
import { keepUp } from './pglite-upkeep.ts';
import { refuseReadOnly } from './refuse-read-only.ts';
import { SafePglite } from './safe-pglite.ts';
import { checkSettings, connectionTo } from './session-settings.ts';

/** PostgreSQL or PGlite; a transaction has the same interface. */
const schema = {
  ...accountTables,
  ...billingTables,
  ...entitlementsTables,
  ...gatewaysTables,
  ...groupTables,
  ...pagesTables,
  ...signInTables,
  ...wordgateTables,
};
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface OpenDatabase {
  database: Database;
  /** Where the job queue (`jobs/`) stores its tables. */
  jobStore: Pick<ConstructorOptions, 'db' | 'backend' | 'connectionString' | 'options' | 'max'>;
  close(): Promise<void>;
}

type PostgresqlConfig = Extract<DatabaseConfig, { kind: 'postgresql' }>;

/** How column names are written in SQL. */
export const casing = 'snake_case';
const drizzleOptions = { schema, casing } as const;
const migrations = { migrationsFolder: path.join(import.meta.dirname, 'migrations') };

const jobConnections = 2;

/** Locks for work that only one of the processes on a database may do at a time; the numbers only have to differ. */
const lockNumbers = {
  migrations: 0x5741_0001,
  seed: 0x5741_0002,
  gatewayAccess: 0x5741_0003,
  /** Who pays for whom; to be taken before rows of users are locked. */
  groups: 0x5741_0004,
  traffic: 0x5741_0005,
  serviceKey: 0x5741_0006,
} as const;

/**
 * Opens the database and updates its tables to the current version. `onIdleError`: told of what fails although nobody
 * waits for it.
 */
export async function openDatabase(
  options: DatabaseConfig,
  onIdleError: (error: Error) => void,
): Promise<OpenDatabase> {
  switch (options.kind) {
    case 'pglite':
      return openPglite(options.directory, onIdleError);
    case 'postgresql':
      return openPostgresql(options, onIdleError);
    default:
      return options satisfies never;
  }
}

async function openPglite(directory: string, onIdleError: (error: Error) => void): Promise<OpenDatabase> {
  await makeDirectory(directory, 0o700);
  await using opening = new AsyncDisposableStack();
  opening.defer(await lockBySocket(directory));
  const client = await openFolder(path.join(directory, 'database'));
  opening.defer(() => client.close());
  const database = drizzlePglite(client, drizzleOptions);
  await refuseNewer(database);
  await migratePglite(database, migrations);
  opening.defer(keepUp(client, onIdleError));
  const opened = opening.move();
  return {
    database,
    jobStore: { db: fromPglite(client), backend: 'pglite' },
    close: () => opened.disposeAsync(),
  };
}

/**
 * Throws if what is there is no whole database, and leaves it as it is: where its file PG_VERSION is missing, PGlite
 * would make a new database over what is left of the old one. An initdb that was interrupted makes that file first.
 */
async function openFolder(folder: string): Promise<SafePglite> {
  const has = (file: string) => existsSync(path.join(folder, file));
  try {
    if (has('global/pg_control') && !has('PG_VERSION')) throw new Error('PG_VERSION is missing');
    return await SafePglite.open(folder);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the database in ${folder} cannot be opened, and was left as it is: ${why}. Restore a copy, or move it away to begin anew`,
      { cause: error },
    );
  }
}

async function openPostgresql(
  { url, connections, timeoutMs }: PostgresqlConfig,
  onIdleError: (error: Error) => void,
): Promise<OpenDatabase> {
  const connection = connectionTo(url);
  await migrateAlone(connection);
  const pool = new Pool({
    ...connection,
    Client: LastingClient,
    verify: refuseReadOnly,
    max: connections,
    // A connection is a process of the server, and costs more to start anew than to keep.
    idleTimeoutMillis: 5 * 60_000,
    keepAlive: true,
    // For getting a connection or a lock: shorter than for a statement, so that the error names the reason.
    connectionTimeoutMillis: timeoutMs / 2,
    lock_timeout: timeoutMs / 2,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: 2 * timeoutMs,
    // In case the server does not answer at all.
    query_timeout: timeoutMs + 1000,
  });
  // Without a listener, an idle connection that the server closes would end the process (node-postgres, "pool error").
  pool.on('error', onIdleError);
  // A separate pool, so that jobs run no matter how many requests wait for a connection.
  const jobStore = {
    ...connection,
    Client: LastingClient,
    max: jobConnections,
    // If the server falls silent, as one that a failover has cut off does, jobs would stop for a quarter of an hour
    // (tcp(7), tcp_retries2). None of their statements takes nearly as long.
    keepAlive: true,
    query_timeout: 10 * timeoutMs,
  };
  const database = withLastingTransactions(pool, (client) => drizzlePostgres(client, drizzleOptions));
  return { database, jobStore, close: () => pool.end() };
}

/**
 * Two processes that start at the same time must not both create the tables. The second may wait long, because changing
 * a large table takes long.
 */
async function migrateAlone(address: ReturnType<typeof connectionTo>): Promise<void> {
  const connection = new Client({ ...address, connectionTimeoutMillis: 30_000 });
  // The waiting statement fails with the same error. Without a listener, the process would end without naming the
  // setting.
  connection.on('error', () => undefined);
  await connection.connect();
  try {
    await checkSettings(connection);
    await connection.query('select pg_advisory_lock($1)', [lockNumbers.migrations]);
    const database = drizzlePostgres(connection, drizzleOptions);
    await refuseNewer(database);
    await migratePostgres(database, migrations);
  } finally {
    // This also releases the lock.
    await connection.end();
  }
}

/** Throws if a later version has changed the tables: this one would leave undone what that one relies on. */
async function refuseNewer(database: Database): Promise<void> {
  const [found] = await rowsOf<{ exists: boolean }>(
    database,
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  );
  if (!found?.exists) return;
  const [last] = await rowsOf<{ made: string | null }>(
    database,
    sql`select max(created_at)::text as made from drizzle.__drizzle_migrations`,
  );
  const known = readMigrationFiles(migrations).map(({ folderMillis }) => folderMillis);
  if (Number(last?.made ?? 0) > Math.max(...known)) {
    throw new Error(
      'a later version of the service has changed this database: start that one, or restore a copy from before',
    );
  }
}

/** Until the transaction ends, no other transaction on this database gets the same lock. */
export async function lockFor(
  transaction: Database,
  purpose: Exclude<keyof typeof lockNumbers, 'migrations'>,
): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(${lockNumbers[purpose]}::bigint)`);
}

/** Like `lockFor`, for one email address whose codes are counted, or one order whose payments are. */
export async function lockForText(transaction: Database, text: string): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`);
}

/** The rows of a statement that Drizzle cannot express. `Row` is what the statement is known to return. */
export async function rowsOf<Row extends Record<string, unknown>>(
  database: Database,
  statement: SQL,
): Promise<Row[]> {
  // The results of both drivers have `rows`, but their common type does not.
  const result = (await database.execute<Row>(statement)) as { rows: Row[] };
  return result.rows;
}
