import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { processorGroup } from '../../../scripts/tally/processor-group.ts';

const withoutRoot = process.getuid?.() !== 0;
const groups: NonNullable<ReturnType<typeof processorGroup>>[] = [];
afterEach(() => {
  for (const group of groups.splice(0)) group.remove();
});

function made(name: string, parent?: string) {
  const group = processorGroup(name, parent);
  if (!group) throw new Error('nothing counts processor time here');
  groups.push(group);
  return group;
}

/** Computes for 0.2 s of processor time, and ends. */
const compute = 'const { cpuUsage: used } = process; while (used().user < 200_000);';

test.skipIf(withoutRoot)('a group counts what ended in a group inside it', () => {
  const outer = made(`waymaker-unit-${process.pid}`);
  const inner = made('inner', outer.directory);
  const join = `echo $$ > ${inner.directory}/cgroup.procs && exec "$@"`;
  spawnSync('sh', ['-c', join, 'sh', process.execPath, '-e', compute]);
  expect(inner.milliseconds()).toBeGreaterThan(150);
  expect(outer.milliseconds()).toBeGreaterThanOrEqual(inner.milliseconds());
});

test.skipIf(withoutRoot)('a removed group is gone, with those inside it', () => {
  const outer = made(`waymaker-unit-${process.pid}`);
  made('inner', outer.directory);
  outer.remove();
  expect(existsSync(outer.directory)).toBe(false);
});

test('where a group cannot be made, nothing is counted', () => {
  expect(processorGroup('group', '/proc')).toBeUndefined();
});
