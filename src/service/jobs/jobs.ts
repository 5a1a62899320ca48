import { sql, type SQL } from 'drizzle-orm';
import { fromDrizzle, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database, OpenDatabase } from '../database/database.ts';
import { describeError } from '../log.ts';

/** What the service does besides answering, by pg-boss: jobs are in the database and outlive their process. */
export interface Jobs {
  /**
   * Does a task about every minute, once for all services that share the database and know it under this name. Some
   * of them can do it at once, namely after one was killed.
   */
  everyMinute(name: string, task: () => Promise<void>): Promise<void>;
  /**
   * Does `task` with each job that is added: at least once, and again later while it rejects. Returns what adds one,
   * as part of a transaction.
   */
  queue<Job extends object>(name: string, task: (job: Job) => Promise<void>): Promise<AddJob<Job>>;
  /** Has a repeated task done as soon as somebody can. */
  doNow(name: string): Promise<void>;
  /**
   * Calls `onPayload` for each notification (PostgreSQL's NOTIFY) on a channel, and `onReconnect` after the connection
   * was lost, when some may have been missed. It is checked that the server still listens.
   */
  listen(channel: string, onPayload: (payload: string) => void, onReconnect: () => void): Promise<void>;
  /** From now on jobs are done; until then everything that does some can be put together. */
  start(): Promise<void>;
  /** Waits for what is being done. */
  close(): Promise<void>;
}

export type AddJob<Job extends object> = (transaction: Database, job: Job) => Promise<void>;

const everyMinuteCron = '* * * * *';
/** Finished jobs are of no use to anybody. */
const keptSeconds = 3600;
/** A repeated task waits for the next minute anyway; nobody gives up on a job for a day. */
const repeated = {
  policy: 'short',
  notify: true,
  retryLimit: 0,
  expireInSeconds: 300,
  deleteAfterSeconds: keptSeconds,
} as const;
/**
 * That its process has died is told by its silence. One that only takes long, by a mail server that answers slowly, is
 * not begun a second time meanwhile.
 */
const lasting = {
  notify: true,
  retryLimit: 200,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 600,
  deleteAfterSeconds: keptSeconds,
  heartbeatSeconds: 20,
  expireInSeconds: 600,
} as const;

/**
 * Opens the queues. Where `works` is false this process only adds jobs, for others that share the database.
 */
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
    openTelemetry: { enabled: false },
  });
  boss.on('error', (error) => logger.error(describeError(asError(error)), 'the job queue has a problem'));
  await boss.start();

  let isStarted = false;
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
    // Of new jobs the database tells at once; looking is for those that are due again.
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
      // Nobody tells of those that came meanwhile: it would look for the next one after a pause.
      if (worker !== undefined) boss.notifyWorker(worker);
      // pg-boss stores what it is thrown, and messages of the database quote what users entered.
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
      // Of an earlier version.
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
    },
    async close() {
      for (const handle of listening.splice(0)) await handle.close();
      await boss.stop();
    },
  };
}

/** Of a worker's errors pg-boss tells the fields only, and what is logged of an error depends on its being one. */
function asError(told: unknown): unknown {
  if (told instanceof Error || typeof told !== 'object' || told === null) return told;
  return Object.assign(new Error(), told);
}

/** pg-boss within a transaction of the service. Either driver answers with rows, which drizzle's type leaves open. */
function jobsIn(transaction: Database) {
  const execute = async (query: unknown) => (await transaction.execute(query as SQL)) as { rows: object[] };
  return fromDrizzle({ execute }, sql);
}
