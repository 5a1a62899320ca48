import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import { openDatabase } from '../../../src/service/database/database.ts';
import { openJobs } from '../../../src/service/jobs/jobs.ts';
import { createLogger } from '../../../src/service/log.ts';
import { databaseKindsOfRun, newEnvironment, type DatabaseKind } from '../test-service.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

afterEach(() => vi.restoreAllMocks());

const logger = pino({ level: 'silent' });

async function open(kind: DatabaseKind) {
  const { database } = readConfig(await newEnvironment(kind));
  const stack = new AsyncDisposableStack();
  const opened = await openDatabase(database, () => undefined);
  stack.defer(() => opened.close());
  const newJobs = async (works: boolean) => {
    const jobs = await openJobs(opened, { logger, works });
    await jobs.start();
    stack.defer(() => jobs.close());
    return jobs;
  };
  return { database: opened.database, newJobs, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('why no jobs can be looked for is in the log', async () => {
  let log = '';
  const environment = await newEnvironment('postgresql');
  const opened = await openDatabase(readConfig(environment).database, () => undefined);
  await using closing = new AsyncDisposableStack();
  closing.defer(() => opened.close());
  const jobs = await openJobs(opened, { logger: createLogger('error', { write: (line) => (log += line) }) });
  closing.defer(() => jobs.close());
  await jobs.queue('letters', async () => undefined);
  await jobs.start();
  await opened.database.execute(sql`alter table jobs.job_common rename to gone`);
  await expect.poll(() => log).toContain('does not exist (Queue: letters');
  await opened.database.execute(sql`alter table jobs.gone rename to job_common`);
});

describe.each(databaseKindsOfRun)('jobs on %s', (kind) => {
  test('a job is added with its transaction, or not at all', async () => {
    await using here = await open(kind);
    const jobs = await here.newJobs(true);
    const seen: number[] = [];
    const add = await jobs.queue<{ number: number }>('numbers', async ({ number }) => {
      seen.push(number);
    });
    const undone = here.database.transaction(async (transaction) => {
      await add(transaction, { number: 1 });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await here.database.transaction((transaction) => add(transaction, { number: 2 }));
    await expect.poll(() => seen).toEqual([2]);
  });

  test('jobs that are added while one is done follow without a pause', async () => {
    await using here = await open(kind);
    const jobs = await here.newJobs(true);
    const first = Promise.withResolvers<void>();
    let done = 0;
    const add = await jobs.queue('many', async () => {
      if (done === 0) await first.promise;
      done += 1;
    });
    for (let added = 0; added < 30; added += 1) await add(here.database, {});
    first.resolve();
    // One at a time whenever they are looked for, every two seconds, would take a minute.
    await expect.poll(() => done, { timeout: waitLimit(15_000) }).toBe(30);
  });

  test('a job that failed is done again', async () => {
    await using here = await open(kind);
    const jobs = await here.newJobs(true);
    let tries = 0;
    const add = await jobs.queue('flaky', async () => {
      tries += 1;
      if (tries === 1) throw new Error('ada@example.com');
    });
    await add(here.database, {});
    await expect.poll(() => tries, { timeout: waitLimit(30_000) }).toBe(2);
    const { rows } = (await here.database.execute(sql`select output::text from jobs.job`)) as {
      rows: unknown[];
    };
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('ada@example.com');
  });

  test('a job that nobody works on waits for somebody who does', async () => {
    await using here = await open(kind);
    const idle = await here.newJobs(false);
    const seen: string[] = [];
    const addHere = await idle.queue('letters', async () => {
      seen.push('idle');
    });
    await addHere(here.database, {});
    const busy = await here.newJobs(true);
    await busy.queue('letters', async () => {
      seen.push('busy');
    });
    await expect.poll(() => seen, { timeout: waitLimit(30_000) }).toEqual(['busy']);
  });

  test('a repeated task is on the clock of the database, and waits once however often it is asked for', async () => {
    await using here = await open(kind);
    const idle = await here.newJobs(false);
    await idle.everyMinute('chores', async () => undefined);
    for (let asked = 0; asked < 3; asked += 1) await idle.doNow('chores');
    const scheduled = await here.database.execute(sql`select name, cron from jobs.schedule`);
    expect(scheduled).toMatchObject({ rows: [{ name: 'chores', cron: '* * * * *' }] });
    const waiting = await here.database.execute(sql`select name from jobs.job`);
    expect(waiting).toMatchObject({ rows: [{ name: 'chores' }] });
    let done = 0;
    const busy = await here.newJobs(true);
    await busy.everyMinute('chores', async () => {
      done += 1;
    });
    // The schedule adds another one in its own time.
    await expect.poll(() => done, { timeout: waitLimit(30_000) }).toBeGreaterThan(0);
  });

  test('repeated tasks, and jobs of a process that has died, go on after the clock of the database was set back', async () => {
    await using here = await open(kind);
    const jobs = await here.newJobs(true);
    let [done, letters] = [0, 0];
    await jobs.everyMinute('chores', async () => {
      done += 1;
    });
    await jobs.queue('letters', async () => {
      letters += 1;
    });
    await expect.poll(() => done, { timeout: waitLimit(60_000) }).toBeGreaterThan(0);
    const before = done;
    const left = sql`insert into jobs.job (name, data, policy, state, started_on, heartbeat_on, heartbeat_seconds, expire_seconds, retry_limit)
      values ('letters', '{}', 'standard', 'active', now(), now(), 20, 1200, 200)`;
    await here.database.execute(left);
    const read = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => read() - 3_600_000);
    // What is stored is later than it is now, also where the database is on another computer.
    const later = sql`interval '1 hour'`;
    await here.database.execute(sql`update jobs.version set cron_on = cron_on + ${later}`);
    await here.database.execute(
      sql`update jobs.queue set monitor_claim_on = now() + ${later}, maintain_on = now() + ${later}`,
    );
    await here.database.execute(
      sql`update jobs.job set created_on = created_on + ${later}, start_after = start_after + ${later},
        started_on = started_on + ${later}, heartbeat_on = heartbeat_on + ${later}`,
    );
    await jobs.doNow('chores');
    await expect.poll(() => done, { timeout: waitLimit(20_000) }).toBeGreaterThan(before);
    await expect.poll(() => done, { timeout: waitLimit(90_000) }).toBeGreaterThan(before + 1);
    await expect.poll(() => letters, { timeout: waitLimit(200_000) }).toBe(1);
    const { rows } = (await here.database.execute(
      sql`select name from jobs.queue where maintain_on > now()`,
    )) as { rows: unknown[] };
    expect(rows, 'old jobs are deleted').toEqual([]);
  });
});
