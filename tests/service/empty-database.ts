import { mkdir } from 'node:fs/promises';
import { pino } from 'pino';
import type { ServiceConfig } from '../../src/service/config.ts';
import { openDatabase } from '../../src/service/database/database.ts';
import { openJobs } from '../../src/service/jobs/jobs.ts';
import { run } from '../lab/runs/process.ts';

/** Makes a service's data directory with an empty database, to be copied: making one takes PGlite seconds. */
export function createEmptyDatabase(directory: string): Promise<void> {
  return fillEmptyDatabase({ kind: 'pglite', directory });
}

/** Makes the tables of a service in a database. */
export async function fillEmptyDatabase(database: ServiceConfig['database']): Promise<void> {
  const opened = await openDatabase(database, () => undefined);
  const jobs = await openJobs(opened, { logger: pino({ level: 'silent' }) });
  await jobs.close();
  await opened.close();
}

/** Copies such a directory into another one: by cp(1), since a thousand files one by one take Node as long as PGlite's start. */
export async function copyEmptyDatabase(directory: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await run(['cp', '-R', `${directory}/.`, target]);
}
