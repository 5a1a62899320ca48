import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withLastingTransactions } from '../../../src/service/database/lasting-transactions.ts';
import { refuseReadOnly } from '../../../src/service/database/refuse-read-only.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { addHealth } from '../../../src/service/http/health.ts';
import { newEnvironment } from '../test-service.ts';

/** PostgreSQL's own errors, of PGlite. The pool, which PGlite has none of, only notes what it gets back. */

let postgres: PGlite;
let database: ReturnType<typeof drizzle>;
beforeAll(async () => {
  const { WAYMAKER_DATA_DIR } = await newEnvironment('pglite');
  postgres = await PGlite.create(path.join(WAYMAKER_DATA_DIR, 'database'));
  database = drizzle(postgres);
  await postgres.exec('create table numbers (number integer)');
});
afterAll(() => postgres.close());
beforeEach(() => postgres.exec('set default_transaction_read_only = off'));

/** In words: a database's errors hold all of it. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isUnavailable(error) ? 'unavailable' : 'wrong'),
  );

/** A database whose one connection is counted as dropped if it comes back as unusable. */
function pooled() {
  const returned: string[] = [];
  const release = (isBroken?: boolean) => void returned.push(isBroken ? 'dropped' : 'kept');
  const pool = { connect: async () => ({ release }) } as unknown as Pool;
  const open = () => drizzle(postgres) as unknown as NodePgDatabase<Record<string, unknown>>;
  return { returned, database: withLastingTransactions(pool, open) };
}

const readOnly = 'set transaction read only';
/** Each fails in PostgreSQL because of what the session is. */
const stale: Record<string, readonly string[]> = {
  'takes no changes': [readOnly, 'insert into numbers values (1)'],
  'has lost its prepared statements': ['execute lost'],
  'has prepared statements from before a migration': [
    'prepare old as select * from numbers',
    'alter table numbers add column name text',
    'execute old',
  ],
};

test.each(Object.entries(stale))('a connection that %s is not used again', async (_, statements) => {
  const { database: pool, returned } = pooled();
  const failed = pool.transaction(async (transaction) => {
    for (const statement of statements) await transaction.execute(sql.raw(statement));
  });
  expect(await outcome(failed)).toBe('unavailable');
  expect(returned).toEqual(['dropped']);
});

test('a statement that is wrong is no connection’s fault', async () => {
  const { database: pool, returned } = pooled();
  const failed = pool.transaction((transaction) => transaction.execute(sql`select 1 / 0`));
  expect(await outcome(failed)).toBe('wrong');
  // Of the same class as one that is: a feature that is not there (0A000).
  const unsupported = pool.transaction((transaction) =>
    transaction.execute(sql`select max(number) from numbers for update`),
  );
  expect(await outcome(unsupported)).toBe('wrong');
  expect(returned).toEqual(['kept', 'kept']);
});

const verified = () =>
  new Promise<'done' | 'unavailable' | 'wrong'>((resolve) => {
    const connection = { query: (text: string) => postgres.query<Record<string, unknown>>(text) };
    refuseReadOnly(connection, (error) => {
      if (error) resolve(isUnavailable(error) ? 'unavailable' : 'wrong');
      else resolve('done');
    });
  });

test('a pool takes no connection to a server that takes no changes', async () => {
  expect(await verified()).toBe('done');
  await postgres.exec('set default_transaction_read_only = on');
  expect(await verified()).toBe('unavailable');
});

test('a service whose database takes no changes is not well', async () => {
  await using app = fastify();
  app.setErrorHandler((error, _, reply) => reply.code(isUnavailable(error) ? 503 : 500).send());
  addHealth(app, database as unknown as Parameters<typeof addHealth>[1]);
  expect((await app.inject('/api/health')).statusCode).toBe(204);
  await postgres.exec('set default_transaction_read_only = on');
  expect((await app.inject('/api/health')).statusCode).toBe(503);
});
