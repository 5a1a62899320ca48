import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exec } from '../../lab/runs/process.ts';
import { layBroken } from '../support/self-test/broken-helper.ts';
import { brokenHelpers } from '../support/self-test/broken-helpers.ts';
import { checksOf, selfTestArgv } from '../support/self-test/self-test-run.ts';

/**
 * A self-test of helpers with mistakes: each of its checks finds one, and those that are not concerned find nothing.
 */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-broken-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each(brokenHelpers)('a helper $name', async ({ name, engine, mistakes, found, notConcerned }) => {
  const place = path.join(folder, name.replaceAll(/\W/g, '-'));
  const commandLine = await layBroken(place, mistakes);
  const { code, stdout, stderr } = await exec(selfTestArgv(commandLine, '--json', '--engine', engine), {
    timeout: 150_000,
  });
  const checks = checksOf(stdout);
  const named = (outcome: string) =>
    checks.filter((check) => check.outcome === outcome).map((check) => check.name);
  expect(named('failed'), `${stderr}\n${stdout}`).toEqual(expect.arrayContaining([...found]));
  expect(named('passed'), `${stderr}\n${stdout}`).toEqual(expect.arrayContaining([...notConcerned]));
  expect(code).toBe(1);
});

test('each check is seen to fail', async () => {
  const seen = new Set(brokenHelpers.flatMap(({ found }) => found));
  const { checkNames } = await import('../../../src/main/self-test/check-names.ts');
  expect(checkNames.filter((name) => !seen.has(name))).toEqual([]);
});
