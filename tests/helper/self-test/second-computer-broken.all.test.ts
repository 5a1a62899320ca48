import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkNames } from '../../../src/main/self-test/check-names.ts';
import { layBroken } from '../support/self-test/broken-helper.ts';
import { brokenHelpers, lettingHostsOut } from '../support/self-test/broken-helpers.ts';
import { checksOf, selfTestArgv } from '../support/self-test/self-test-run.ts';
import { startServing, type Serving } from '../support/self-test/serving.ts';
import { createTwoMachines, networkAddresses, type TwoMachines } from '../support/self-test/two-machines.ts';

/** A self-test between two computers finds the mistakes of helpers, too, and puts the network back all the same. */

let folder: string;
let machines: TwoMachines;
let serving: Serving;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-broken-'));
});
afterAll(() => rm(folder, { recursive: true }));
// One that restores nothing leaves that to the next one.
beforeEach(async () => {
  machines = await createTwoMachines();
  serving = await startServing(machines.serving);
});
afterEach(() => machines?.[Symbol.asyncDispose]());

const helpers = brokenHelpers.map((helper) =>
  helper.found.includes('other-resolvers') ? lettingHostsOut : helper,
);

const seen = new Set<string>();

test.each(helpers)('a helper $name', async ({ name, engine, mistakes, found, notConcerned }) => {
  const commandLine = await layBroken(path.join(folder, name.replaceAll(/\W/g, '-')), mistakes);
  const { code, stdout, stderr } = await machines.tested.exec(
    selfTestArgv(commandLine, '--against', networkAddresses.serving, '--json', '--yes', '--engine', engine),
    { env: { WAYMAKER_SELF_TEST_CODE: serving.code }, timeout: 180_000 },
  );
  const checks = checksOf(stdout);
  const named = (outcome: string) =>
    checks.filter((check) => check.outcome === outcome).map((check) => check.name);
  for (const failed of named('failed')) seen.add(failed);
  expect(named('failed'), `${stderr}\n${stdout}`).toEqual(expect.arrayContaining([...found]));
  expect(named('passed'), `${stderr}\n${stdout}`).toEqual(expect.arrayContaining([...notConcerned]));
  expect(code).toBe(1);
});

test('each check is seen to fail', () => {
  expect(checkNames.filter((name) => !seen.has(name))).toEqual([]);
});
