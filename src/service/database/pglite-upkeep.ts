import type { PGlite } from '@electric-sql/pglite';

/** Each with its schema and quotes if it needs them. */
const tables = `select oid::regclass::text as name from pg_class where relkind in ('r', 'm') and relpersistence <> 't'`;

/** As often as PostgreSQL by default (its `checkpoint_timeout`). */
const checkpointMs = 5 * 60_000;
/** What the service changes in an hour is little beside what a full table costs a look. */
const vacuumMs = 60 * 60_000;

/**
 * Does what PostgreSQL has processes of its own for (checkpointer and autovacuum), and PGlite has not: the write-ahead
 * log would grow until the database is closed, and tables and indexes with each change. Returns a function that ends
 * this.
 */
export function keepUp(
  client: Pick<PGlite, 'exec' | 'query'>,
  onError: (error: Error) => void,
): () => Promise<void> {
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  const checkpoint = () => client.exec('checkpoint');
  /** One table after the other, because calls wait for the whole of a statement: whoever waits is let in between. */
  const vacuum = async () => {
    const { rows } = await client.query<{ name: string }>(tables);
    for (const { name } of rows) {
      if (isOver) return;
      // It may be gone meanwhile.
      await client.exec(`vacuum (analyze) ${name}`).catch(onError);
    }
  };
  const every = (ms: number, task: () => Promise<unknown>) =>
    setInterval(() => {
      last = last.then(task).catch(onError);
    }, ms).unref();
  const timers = [every(checkpointMs, checkpoint), every(vacuumMs, vacuum)];
  return async () => {
    isOver = true;
    for (const timer of timers) clearInterval(timer);
    await last;
  };
}
