import type { SQL } from 'drizzle-orm';
import { PgDialect, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { casing, type Database } from './database.ts';

/** What Drizzle's builders of statements have in common. */
interface Preparable<Statement> {
  prepare(name: string): Statement;
}

/**
 * A statement with placeholders whose text is made once for a connection, and that PostgreSQL parses once for it; to
 * make the text takes longer than to send it, wait for it and read its rows. `name` stands for one text everywhere.
 */
export function prepared<Statement extends object>(
  database: Database,
  name: string,
  build: () => Preparable<Statement>,
): Statement {
  const known = statementsOf(database);
  const statement = known.get(name) ?? build().prepare(name);
  known.set(name, statement);
  // The name tells which it is.
  return statement as Statement;
}

/**
 * The rows of a statement as `prepared` makes it, but that Drizzle has no words for. `Row` is what it says it gives.
 */
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

/** Each transaction is a session of its own, but those of a pool share its connections. PGlite's share nothing. */
function statementsOf(database: Database): Map<string, object> {
  const { session } = database._;
  const { client = session } = session as { client?: object };
  const known = statementsByConnection.get(client) ?? new Map<string, object>();
  statementsByConnection.set(client, known);
  return known;
}
