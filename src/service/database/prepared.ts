import type { SQL } from 'drizzle-orm';
import { PgDialect, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { casing, type Database } from './database.ts';

/** The common interface of Drizzle's statement builders. */
interface Preparable<Statement> {
  prepare(name: string): Statement;
}

/**
 * A statement with placeholders, which is built once for each connection, and which PostgreSQL parses once for it:
 * building the text takes longer than sending it, waiting for it and reading its rows. Each `name` must always stand
 * for the same statement.
 */
export function prepared<Statement extends object>(
  database: Database,
  name: string,
  build: () => Preparable<Statement>,
): Statement {
  const known = statementsOf(database);
  const statement = known.get(name) ?? build().prepare(name);
  known.set(name, statement);
  // The name identifies the statement, and so its type.
  return statement as Statement;
}

/** The rows of a prepared statement that Drizzle cannot express. `Row` is what the statement is known to return. */
export async function preparedRows<Row extends Record<string, unknown>>(
  database: Database,
  name: string,
  build: () => SQL,
  values: Record<string, unknown>,
): Promise<Row[]> {
  const prepare = () =>
    database._.session.prepareQuery<PreparedQueryConfig & { execute: { rows: Row[] } }>(
      dialect.sqlToQuery(build()),
      undefined,
      name,
      false,
    );
  return (await prepared(database, name, () => ({ prepare })).execute(values)).rows;
}

const dialect = new PgDialect({ casing });

const statementsByConnection = new WeakMap<object, Map<string, object>>();

/**
 * Each transaction has a session of its own, but transactions of a pool share its connections. PGlite's share nothing.
 */
function statementsOf(database: Database): Map<string, object> {
  const { session } = database._;
  const { client = session } = session as { client?: object };
  const known = statementsByConnection.get(client) ?? new Map<string, object>();
  statementsByConnection.set(client, known);
  return known;
}
