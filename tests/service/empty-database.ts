import { pino } from 'pino';
import { openDatabase } from '../../src/service/database/database.ts';
import { openJobs } from '../../src/service/jobs/jobs.ts';

/** Makes a service's data directory with an empty database, to be copied: making one takes PGlite seconds. */
export async function createEmptyDatabase(directory: string): Promise<void> {
  const opened = await openDatabase({ kind: 'pglite', directory }, () => undefined);
  const jobs = await openJobs(opened, { logger: pino({ level: 'silent' }) });
  await jobs.close();
  await opened.close();
}
