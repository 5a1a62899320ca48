import type { PGlite } from '@electric-sql/pglite';

/** As often as PostgreSQL by default (its `checkpoint_timeout`). */
const checkpointMs = 5 * 60_000;
/** What the service changes in an hour is little beside what a full table costs a look. */
const vacuumMs = 60 * 60_000;

/**
 * Does what PostgreSQL has processes of its own for (checkpointer and autovacuum), and PGlite has not: the write-ahead
 * log would grow until the database is closed, and tables and indexes with each change. Returns a function that ends
 * this.
 */
export function keepUp(client: Pick<PGlite, 'exec'>, onError: (error: Error) => void): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const every = (ms: number, statement: string) =>
    setInterval(() => {
      last = client.exec(statement).catch(onError);
    }, ms).unref();
  const timers = [every(checkpointMs, 'checkpoint'), every(vacuumMs, 'vacuum (analyze)')];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await last;
  };
}
