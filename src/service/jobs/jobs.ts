import { sql, type SQL } from 'drizzle-orm';
import { fromDrizzle, PgBoss, systemClock } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database, OpenDatabase } from '../database/database.ts';
import { describeError } from '../log.ts';

/** Background work of the service, with pg-boss: jobs are in the database and outlive their process. */
export interface Jobs {
  /**
   * Runs a task about every minute, once for all services that share the database and use this name. Runs can overlap
   * after a process was killed.
   */
  everyMinute(name: string, task: () => Promise<void>): Promise<void>;
  /**
   * Runs `task` for each added job: at least once, and again later if it rejects. Returns a function that adds a job,
   * as part of a transaction.
   */
  queue<Job extends object>(name: string, task: (job: Job) => Promise<void>): Promise<AddJob<Job>>;
  /** Runs a repeated task as soon as possible. */
  doNow(name: string): Promise<void>;
  /**
   * Calls `onPayload` for each notification (PostgreSQL's NOTIFY) on a channel, and `onReconnect` after the connection
   * was lost, when some may have been missed. It checks that the server still listens.
   */
  listen(channel: string, onPayload: (payload: string) => void, onReconnect: () => void): Promise<void>;
  /** Starts to run jobs; until then, everything that runs some can be set up. */
  start(): Promise<void>;
  /** Waits for jobs in progress. */
  close(): Promise<void>;
}

export type AddJob<Job extends object> = (transaction: Database, job: Job) => Promise<void>;

const everyMinuteCron = '* * * * *';
/** How often it is looked whether the clock of the database was set back. */
const clockCheckMs = 15_000;
/** How long finished jobs are kept; nobody needs them. */
const keptSeconds = 3600;
/**
 * One that nobody can set. By the computer's, pg-boss would do nothing for as long as that was set back, since it waits
 * until a time.
 */
const clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };
/** A repeated task runs again in the next minute anyway, so it is not retried; other jobs are retried for a day. */
const repeated = {
  policy: 'short',
  notify: true,
  retryLimit: 0,
  expireInSeconds: 300,
  deleteAfterSeconds: keptSeconds,
} as const;
/**
 * A process that has died is detected by its silence, so a job that only takes long, because a mail server answers
 * slowly, is not started a second time.
 */
const lasting = {
  notify: true,
  retryLimit: 200,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 600,
  deleteAfterSeconds: keptSeconds,
  heartbeatSeconds: 20,
  // Longer than a mail server may take (mail/mailer.ts): what has expired is started again.
  expireInSeconds: 1200,
} as const;

/** Opens the queues. If `works` is false, this process only adds jobs, for others that share the database. */
export async function openJobs(
  { jobStore }: Pick<OpenDatabase, 'jobStore'>,
  { logger, works = true }: { logger: Logger; works?: boolean },
): Promise<Jobs> {
  const boss = new PgBoss({
    ...jobStore,
    schema: 'jobs',
    supervise: works,
    schedule: works,
    useListenNotify: works,
    cronMonitorIntervalSeconds: 15,
    registerInstance: false,
    clock,
    openTelemetry: { enabled: false },
  });
  boss.on('error', (error) => logger.error(describeError(asError(error)), 'the job queue has a problem'));
  await boss.start();

  let isStarted = false;
  let clockCheck: ReturnType<typeof setInterval> | undefined;
  const listening: { close(): Promise<void> }[] = [];
  const waiting: (() => Promise<void>)[] = [];

  async function work(
    { name, lookEverySeconds }: { name: string; lookEverySeconds: number },
    task: (data: object) => Promise<void>,
  ): Promise<void> {
    if (!works) return;
    if (!isStarted) {
      waiting.push(() => work({ name, lookEverySeconds }, task));
      return;
    }
    // The database announces new jobs at once; polling is for jobs that are due again.
    const options = { notifyPollingIntervalSeconds: lookEverySeconds };
    let worker: string | undefined;
    worker = await boss.work(name, options, async ([job]: { data: object }[]) => {
      if (!job) return;
      const isDone = await task(job.data).then(
        () => true,
        (error: unknown) => {
          logger.error({ ...describeError(error), job: name }, 'a job failed');
          return false;
        },
      );
      // Jobs that arrived meanwhile were not announced, and the worker would pause before it looks for the next one.
      if (worker !== undefined) boss.notifyWorker(worker);
      // pg-boss stores what is thrown, and the database's messages quote what users entered.
      if (!isDone) throw new Error('failed, see the log');
    });
  }

  return {
    async everyMinute(name, task) {
      await boss.createQueue(name, repeated);
      await boss.schedule(name, everyMinuteCron);
      await work({ name, lookEverySeconds: 30 }, task);
    },
    async queue<Job extends object>(name: string, task: (job: Job) => Promise<void>) {
      await boss.createQueue(name, lasting);
      // The queue of an earlier version.
      await boss.updateQueue(name, lasting);
      await work({ name, lookEverySeconds: 2 }, (data) => task(data as Job));
      return async (transaction: Database, job: Job) => {
        await boss.send(name, job, { db: jobsIn(transaction) });
      };
    },
    async doNow(name) {
      await boss.send(name, {});
    },
    async listen(channel, onPayload, onReconnect) {
      const handle = await boss.getDb().listen?.(channel, onPayload, onReconnect);
      if (!handle) throw new Error('the database has no notifications');
      listening.push(handle);
    },
    async start() {
      isStarted = true;
      for (const begin of waiting.splice(0)) await begin();
      // If the database cannot be asked, pg-boss says so.
      const check = () => void goOnAfterClockChange(boss).catch(() => undefined);
      if (works) clockCheck = setInterval(check, clockCheckMs).unref();
    },
    async close() {
      clearInterval(clockCheck);
      for (const handle of listening.splice(0)) await handle.close();
      await boss.stop();
    },
  };
}

/**
 * After the clock of the database was set back, what pg-boss has stored is later than now, perhaps by years, as on a
 * machine that had no right time when it started: it would look for due tasks, for jobs of a dead process and for old
 * ones only once the clock has caught up, take each minute until then for one that had its run, and have jobs wait.
 */
async function goOnAfterClockChange(boss: PgBoss): Promise<void> {
  await boss.getDb().executeSql(`
    with late as (
      update jobs.version set cron_on = null, bam_on = null, flow_on = null, reindex_on = null, monitor_backoff_on = null
      where cron_on > now() + interval '1 minute' returning true
    ), queues as (
      update jobs.queue set monitor_claim_on = null, monitor_on = null, maintain_on = null
      where exists (select from late)
    ), minutes as (
      delete from jobs.job
      where exists (select from late) and created_on > now() and singleton_on is not null
    )
    update jobs.job set
      start_after = least(start_after, now()),
      started_on = case when started_on > now() then now() else started_on end,
      heartbeat_on = case when heartbeat_on > now() then now() else heartbeat_on end
    where exists (select from late) and not (created_on > now() and singleton_on is not null)
      and state in ('created', 'retry', 'active')
  `);
}

/** pg-boss reports only the fields of a worker's error, but logging depends on its being an Error. */
function asError(told: unknown): unknown {
  if (told instanceof Error || typeof told !== 'object' || told === null) return told;
  return Object.assign(new Error(), told);
}

/** pg-boss within a transaction of the service. Both drivers answer with rows, which Drizzle's type does not say. */
function jobsIn(transaction: Database) {
  const execute = async (query: unknown) => (await transaction.execute(query as SQL)) as { rows: object[] };
  return fromDrizzle({ execute }, sql);
}
