import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settleLastAttempt } from '../../../../src/main/updates/last-attempt.ts';
import { openUpdateMemory } from '../../../../src/main/updates/update-memory.ts';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'waymaker-memory-'))));
afterEach(() => rm(directory, { recursive: true }));

const later = '2026-01-02T03:04:05.000Z';

test('an installation remembers its name, the latest feed, and the version whose installer was started', () => {
  const first = openUpdateMemory(path.join(directory, 'updates'));
  first.seen.set(later);
  first.started.set('0.2.0');
  const next = openUpdateMemory(path.join(directory, 'updates'));
  expect(next.installation).toBe(first.installation);
  expect(next.seen.get()).toBe(later);
  expect(next.started.get()).toBe('0.2.0');
  next.started.set(undefined);
  expect(openUpdateMemory(path.join(directory, 'updates')).started.get()).toBeUndefined();
  expect(openUpdateMemory(path.join(directory, 'other')).installation).not.toBe(first.installation);
});

test('a damaged file is replaced, and what cannot be saved is kept until the app ends', async () => {
  const file = path.join(directory, 'updates.json');
  for (const damaged of ['', '{', '{"installation":""}', `{"installation":"x","seen":"yesterday"}`]) {
    await writeFile(file, damaged);
    const { installation, seen } = openUpdateMemory(directory);
    expect(seen.get()).toBeUndefined();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ installation });
  }
  const unwritable = openUpdateMemory(path.join(file, 'below-a-file'));
  unwritable.seen.set(later);
  expect(unwritable.seen.get()).toBe(later);
});

test('two programs that have it open do not undo what the other has remembered', () => {
  const [app, command] = [openUpdateMemory(directory), openUpdateMemory(directory)];
  expect(command.installation).toBe(app.installation);
  command.seen.set(later);
  app.started.set('0.2.0');
  expect(app.seen.get()).toBe(later);
  expect(command.started.get()).toBe('0.2.0');
});

test('an attempt that did not succeed is remembered until that version, or a newer one, runs', async () => {
  const memory = openUpdateMemory(directory);
  const settle = (version: string, isRunning = false, within = memory) =>
    settleLastAttempt(within, version, { isRunning: () => Promise.resolve(isRunning) });
  const failed = { kind: 'failed', version: '0.2.0' };
  expect(await settle('0.1.0')).toEqual({ kind: 'none' });
  memory.started.set('0.2.0');
  expect(await settle('0.1.0', true), 'nobody knows yet').toEqual({ kind: 'running' });
  expect(await settle('0.1.0')).toEqual(failed);
  // Whatever else runs.
  expect(await settle('0.1.0', true)).toEqual(failed);
  expect(await settle('0.1.0', false, openUpdateMemory(directory))).toEqual(failed);
  expect(await settle('0.2.0')).toEqual({ kind: 'none' });
  expect(await settle('0.1.0')).toEqual({ kind: 'none' });
  memory.started.set('0.3.0');
  expect(await settle('0.3.0', true), 'it is there').toEqual({ kind: 'none' });
});

test('an attempt that another program has settled meanwhile is not settled twice', async () => {
  const memory = openUpdateMemory(directory);
  memory.started.set('0.2.0');
  const outcome = await settleLastAttempt(memory, '0.1.0', {
    isRunning() {
      openUpdateMemory(directory).started.set(undefined);
      return Promise.resolve(false);
    },
  });
  expect(outcome).toEqual({ kind: 'none' });
});
