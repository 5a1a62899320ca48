import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/service/database/database.ts';
import { openJobs } from '../../src/service/jobs/jobs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where this test run puts what it writes; it is removed at the end. */
    scratchDirectory: string;
    /** A service's data directory with an empty database, to be copied: making one takes PGlite seconds. */
    emptyDataDirectory: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchDirectory = await mkdtemp(path.join(tmpdir(), 'waymaker-service-'));
  const emptyDataDirectory = path.join(scratchDirectory, 'empty');
  const directory = { kind: 'pglite', directory: emptyDataDirectory } as const;
  const opened = await openDatabase(directory, () => undefined);
  const jobs = await openJobs(opened, { logger: pino({ level: 'silent' }) });
  await jobs.close();
  await opened.close();
  project.provide('scratchDirectory', scratchDirectory);
  project.provide('emptyDataDirectory', emptyDataDirectory);
  return () => rm(scratchDirectory, { recursive: true, force: true });
}
