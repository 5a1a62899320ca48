import { renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile } from '../../../../src/main/diagnostics/log-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-log-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a log that somebody removes is begun anew, also with its folder', async () => {
  const file = path.join(directory, 'logs/main.log');
  const log = createLogFile({ file });
  log.write('one\n');
  await rm(file);
  log.write('two\n');
  expect(log.read()).toEqual(['two']);
  await rm(path.dirname(file), { recursive: true });
  log.write('three\n');
  log.write('four\n');
  expect(log.read()).toEqual(['three', 'four']);
});

test('a log that somebody moves away is written where it belongs', () => {
  const file = path.join(directory, 'main.log');
  const log = createLogFile({ file });
  log.write('one\n');
  renameSync(file, `${file}.old`);
  log.write('two\n');
  expect(log.read()).toEqual(['two']);
});

test('a full log takes the place of the one before it', () => {
  const log = createLogFile({ file: path.join(directory, 'main.log'), maxBytes: 10 });
  for (const line of ['first', 'second', 'third', 'fourth']) log.write(`${line}\n`);
  expect(log.read()).toEqual(['third', 'fourth']);
});
