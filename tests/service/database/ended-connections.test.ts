import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import { expect, inject, test, vi } from 'vitest';
import { openDatabase } from '../../../src/service/database/database.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { newEnvironment } from '../test-service.ts';
import { holdAnswers } from './held-answers.ts';

/**
 * That the server ends a connection can be read together with the answer before it, while the connection is being
 * handed over to a transaction (brianc/node-postgres, issue 2762).
 */

/** A database with one connection, on a way that holds answers back; and the errors that end a process. */
async function openHeld(timeoutMs = 60_000) {
  await using opening = new AsyncDisposableStack();
  const { DATABASE_URL: direct = '' } = await newEnvironment('postgresql');
  const admin = new Client({ connectionString: direct });
  await admin.connect();
  opening.defer(() => admin.end());
  const answers = opening.use(await holdAnswers(inject('postgresqlSocket')));
  const url = new URL(direct);
  url.searchParams.set('host', answers.socket);
  const opened = await openDatabase(
    { kind: 'postgresql', url: url.href, connections: 1, timeoutMs },
    () => undefined,
  );
  opening.defer(() => opened.close());
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtExceptionMonitor', note);
  opening.defer(() => void process.off('uncaughtExceptionMonitor', note));
  const endAll = () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  const closing = opening.move();
  return {
    database: opened.database,
    jobStore: opened.jobStore,
    uncaught,
    hold: () => answers.hold(),
    answered: () => vi.waitFor(() => expect(answers.answered()).toBe(1)),
    endAll,
    /** As PostgreSQL ends all connections when it is restarted; only then is heard what it said since `hold`. */
    async endHeld() {
      await endAll();
      await answers.releaseEnded();
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isUnavailable(error) ? 'unavailable' : error),
  );

test('a transaction whose new connection was ended before it was read fails, and the process goes on', async () => {
  await using held = await openHeld();
  held.hold();
  const begun = outcome(held.database.transaction(async () => undefined));
  await held.answered();
  await held.endHeld();
  expect(await begun).toBe('unavailable');
  expect(held.uncaught).toEqual([]);
  expect(await outcome(held.database.transaction(async () => undefined))).toBe('done');
});

test('a transaction that waits for a connection which ends with its last answer fails, and the process goes on', async () => {
  await using held = await openHeld();
  await held.database.execute(sql`select 1`);
  held.hold();
  const asked = outcome(held.database.execute(sql`select 1`));
  await held.answered();
  const begun = outcome(held.database.transaction(async () => undefined));
  await held.endHeld();
  expect(await Promise.all([asked, begun])).toEqual(['done', 'unavailable']);
  expect(held.uncaught).toEqual([]);
  expect(await outcome(held.database.transaction(async () => undefined))).toBe('done');
});

test('the job queue’s transactions fail so, too', async () => {
  await using held = await openHeld();
  const boss = new PgBoss({
    ...held.jobStore,
    schema: 'jobs',
    supervise: false,
    schedule: false,
    registerInstance: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  await using closing = new AsyncDisposableStack();
  closing.defer(() => boss.stop({ graceful: false }));
  const jobs = boss.getDb();
  const begin = async () => await (await jobs.beginTransaction?.())?.rollback();
  await held.endAll();
  await vi.waitFor(() => expect(jobs.poolCounts?.()?.total).toBe(0));
  held.hold();
  const begun = outcome(begin());
  await held.answered();
  await held.endHeld();
  expect(await begun).toBe('unavailable');
  expect(held.uncaught).toEqual([]);
  expect(await outcome(begin())).toBe('done');
});

test('the job queue does not wait for a server that has fallen silent', async () => {
  // A query is given up after ten times as long: the one here, and that which makes the job queue’s tables.
  await using held = await openHeld(waitLimit(50));
  const boss = new PgBoss({
    ...held.jobStore,
    schema: 'jobs',
    supervise: false,
    schedule: false,
    registerInstance: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  await using closing = new AsyncDisposableStack();
  closing.defer(() => boss.stop({ graceful: false }));
  const ask = () => boss.getDb().executeSql('select 1');
  held.hold();
  expect(await outcome(ask())).toBe('unavailable');
  await held.endHeld();
  expect(await outcome(ask())).toBe('done');
});
