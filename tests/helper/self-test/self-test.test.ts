import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNames } from '../../../src/main/self-test/check-names.ts';
import { exec, words } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import {
  checksOf,
  leftSince,
  selfTestArgv,
  whatIsThere,
  withTime,
} from '../support/self-test/self-test-run.ts';

/** `waymaker self-test` on this machine, whose own network it must not touch. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-self-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const argv = (...more: string[]) => selfTestArgv(programFile('src/main/cli/index.ts'), ...more);

test('every promise is seen to be kept on this machine, and nothing is left of it', async () => {
  const before = await whatIsThere();
  const report = path.join(folder, 'report.txt');
  const { code, stdout, stderr } = await exec([...argv('--json'), '--report', report], {
    env: withTime(),
    timeout: 120_000,
  });
  const checks = checksOf(stdout);
  const notPassed = checks.filter(({ outcome }) => outcome !== 'passed');
  expect(notPassed, stderr).toEqual([]);
  expect(checks.filter(({ engine }) => engine === 'openconnect').map(({ name }) => name)).toEqual(checkNames);
  expect(checks.filter(({ engine }) => engine === 'own').map(({ name }) => name)).toContain('engine-killed');
  expect(
    checks.filter(({ seenBy }) => seenBy.length === 0),
    'without a witness',
  ).toEqual([]);
  expect(code).toBe(0);
  await expect.poll(() => leftSince(before)).toEqual([]);

  const text = await readFile(report, 'utf8');
  expect(text).toContain('others-routes, engine openconnect: passed');
  expect(text).toContain('198.51.100.2');
  expect(text.toLowerCase()).not.toContain(os.hostname().toLowerCase());
  expect(statSync(report).mode & 0o777).toBe(0o644);
});

test('where it may make no network, as in a container, it says so, in the user’s language', async () => {
  const contained = words('setpriv --bounding-set -sys_admin --inh-caps -sys_admin --');
  const ended = await exec([...contained, ...argv('--json')], { env: { LC_ALL: 'zh_CN.UTF-8' } });
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'no-namespaces' } });
  expect(ended.stderr).toMatch(/\p{Script=Han}/u);
  expect(ended.code).toBe(4);
});
