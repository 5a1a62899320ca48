import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readFileTimes } from '../../../scripts/tally/file-times.ts';
import { processorGroup } from '../../../scripts/tally/processor-group.ts';
import { tallyFolder } from '../../../scripts/tally/tally.ts';

const withoutRoot = process.getuid?.() !== 0;
const source = pathToFileURL(path.resolve(import.meta.dirname, '../../../scripts/tally/file-times.ts')).href;

/** A worker in which a test file computes, has all modules evaluated once more, and is followed by a file that waits. */
const worker = `
  const { cpuUsage: used } = process;
  const charges = await import('${source}');
  charges.countThisWorker();
  const until = used().user + 600_000;
  while (used().user < until);
  charges.chargeTo('computes.test.ts');
  const again = await import('${source}?again');
  again.countThisWorker();
  again.chargeTo('waits.test.ts');
`;

test.skipIf(withoutRoot)('what a test file has used is not charged to the next one, too', () => {
  const name = `unit-${process.pid}`;
  const group = processorGroup(`waymaker-${name}`);
  if (!group) throw new Error('nothing counts processor time here');
  onTestFinished(() => {
    rmSync(path.join(tallyFolder, `${name}-times.jsonl`), { force: true });
    group.remove();
  });
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', worker], {
    cwd: path.resolve(import.meta.dirname, '../../..'),
    env: { ...process.env, WAYMAKER_RUNNER: name, WAYMAKER_PROCESSOR_GROUP: group.directory },
    encoding: 'utf8',
  });
  const times = readFileTimes(name);
  expect([...times.keys()], stderr).toEqual(['computes.test.ts', 'waits.test.ts']);
  expect(times.get('waits.test.ts')).toBeLessThan((times.get('computes.test.ts') ?? 0) / 2);
});
