import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { lockBySocket } from '#node/os/socket-lock.ts';
import type { ServiceConfig } from '../../src/service/config.ts';
import { openDatabase } from '../../src/service/database/database.ts';
import { openJobs } from '../../src/service/jobs/jobs.ts';
import { run } from '../lab/runs/process.ts';

const root = path.resolve(import.meta.dirname, '../..');
/**
 * Of this checkout's runs. Locked as a whole: the lock lies in it, so that only what is in its folder is ever removed.
 */
const lockedFolder = path.join(root, 'out/test-databases');
const keptFolder = path.join(lockedFolder, 'kept');
/** What an empty database is made of. */
const madeOf = ['src/service/database', 'src/service/jobs', 'package-lock.json'];

/**
 * Makes a service's data directory with an empty database, to be copied. Making one takes PGlite 17 s of the
 * processor's time, so that it is kept until something that it is made of changes.
 */
export async function createEmptyDatabase(directory: string): Promise<void> {
  const kept = path.join(keptFolder, await keyOf(madeOf));
  await mkdir(lockedFolder, { recursive: true });
  const unlock = await lockOnceFree(lockedFolder);
  try {
    if (!existsSync(kept)) {
      await rm(keptFolder, { recursive: true, force: true });
      await mkdir(keptFolder);
      const made = await mkdtemp(path.join(keptFolder, 'new-'));
      await fillEmptyDatabase({ kind: 'pglite', directory: made });
      await rename(made, kept);
    }
    await copyEmptyDatabase(kept, directory);
  } finally {
    await unlock();
  }
}

/** The runners of one checkout start at the same time. */
async function lockOnceFree(directory: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      return await lockBySocket(directory);
    } catch (error) {
      if (!(error instanceof Error && String(error.cause).includes('EADDRINUSE'))) throw error;
    }
    await delay(100);
  }
}

/** A name that changes with the content of these files, or of what is in these folders. */
async function keyOf(places: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const place of places) {
    const at = path.join(root, place);
    const isFolder = (await stat(at)).isDirectory();
    const names = isFolder ? (await readdir(at, { recursive: true })).toSorted() : [''];
    for (const name of names) {
      const file = path.join(at, name);
      if ((await stat(file)).isFile()) hash.update(`${name}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/** Makes the tables of a service in a database. */
export async function fillEmptyDatabase(database: ServiceConfig['database']): Promise<void> {
  const opened = await openDatabase(database, () => undefined);
  const jobs = await openJobs(opened, { logger: pino({ level: 'silent' }) });
  await jobs.close();
  await opened.close();
}

/**
 * Copies such a directory into another one: by cp(1), since a thousand files one by one take Node as long as PGlite's
 * start.
 */
export async function copyEmptyDatabase(directory: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await run(['cp', '-R', `${directory}/.`, target]);
}
