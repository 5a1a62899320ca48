import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeOwnedDirectory } from '../lab/runs/owned-directory.ts';
import { createEmptyDatabase } from './empty-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where this test run puts what it writes; it is removed at the end. */
    scratchDirectory: string;
    /** A service's data directory with an empty database, to be copied. */
    emptyDataDirectory: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchDirectory = makeOwnedDirectory('service');
  const emptyDataDirectory = path.join(scratchDirectory, 'empty');
  await createEmptyDatabase(emptyDataDirectory);
  project.provide('scratchDirectory', scratchDirectory);
  project.provide('emptyDataDirectory', emptyDataDirectory);
  return () => rm(scratchDirectory, { recursive: true, force: true });
}
