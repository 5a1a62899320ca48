import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../../src/service/database/database.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { copyEmptyDatabase } from '../empty-database.ts';

async function copiedDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(inject('scratchDirectory'), 'safe-'));
  await copyEmptyDatabase(inject('emptyDataDirectory'), directory);
  return directory;
}

test('PGlite finishes a transaction before it closes, and refuses what waits behind it', async () => {
  const directory = await copiedDirectory();
  const opened = await openDatabase({ kind: 'pglite', directory }, () => undefined);
  const ask = (number: number) =>
    opened.database.execute(sql`select ${number}::int`).then(
      () => 'done',
      (error: unknown) => (isUnavailable(error) ? 'unavailable' : error),
    );
  const begun = Promise.withResolvers<void>();
  const transaction = opened.database.transaction(async (inside) => {
    await inside.execute(sql`select 1`);
    begun.resolve();
    await delay(200);
    await inside.execute(sql`select 2`);
    return 'done';
  });
  await begun.promise;
  const waiting = [ask(3), ask(4)];
  const closed = opened.close();
  waiting.push(ask(5), ask(6));
  expect(await transaction).toBe('done');
  expect(await Promise.all(waiting)).toEqual(Array(4).fill('unavailable'));
  await closed;
});

test('a process ends whose PGlite has ended, instead of asking it for ever', async () => {
  const folder = path.join(await copiedDirectory(), 'database');
  const module = path.resolve(import.meta.dirname, '../../../src/service/database/safe-pglite.ts');
  // `exit` ends a worker alone.
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
    (async () => {
      const { SafePglite } = await import(workerData.module);
      const client = await SafePglite.open(workerData.folder);
      await client.exec('create temporary table filled (number int)');
      // Ends the server, which finds the end of its input (electric-sql/pglite, issue 1058).
      await client.exec('copy filled from stdin');
    })();`,
    { eval: true, workerData: { folder, module }, stderr: true },
  );
  const printed = text(worker.stderr);
  expect(await once(worker, 'exit')).toEqual([1]);
  expect(await printed).toContain('the database has ended');
});
