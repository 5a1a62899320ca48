import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNames } from '../../../src/main/self-test/check-names.ts';
import { words } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { checksOf, selfTestArgv, withTime } from '../support/self-test/self-test-run.ts';
import { startServing, type Serving } from '../support/self-test/serving.ts';
import { createTwoMachines, networkAddresses, type TwoMachines } from '../support/self-test/two-machines.ts';

/** `waymaker self-test --serve` on one computer, and `--against` it on another one of the same network. */

let machines: TwoMachines;
let serving: Serving;
beforeAll(async () => {
  machines = await createTwoMachines();
  serving = await startServing(machines.serving);
});
afterAll(() => machines?.[Symbol.asyncDispose]());

/** On the computer that is tested. */
const against = (code: string, ...more: string[]) =>
  machines.tested.exec(
    selfTestArgv(programFile('src/main/cli/index.ts'), '--against', networkAddresses.serving, ...more),
    { env: { ...withTime(), WAYMAKER_SELF_TEST_CODE: code }, timeout: 180_000 },
  );

/** A process of the engine's user in another network, as in a container: none of the self-test's. */
const startBystander = () =>
  machines.serving.spawnUntil(
    words('setpriv --reuid waymaker-engine --clear-groups -- sh -c').concat(
      'echo ready; exec sleep infinity',
    ),
    /ready/,
  );

test('every promise is seen to be kept by real packets between two computers', async () => {
  const before = await machines.snapshot();
  const bystander = await startBystander();
  const { code, stdout, stderr } = await against(
    serving.code,
    '--json',
    '--yes',
    '--report',
    '/run/report.txt',
  );
  const checks = checksOf(stdout);
  expect(
    checks.filter(({ outcome }) => outcome !== 'passed'),
    stderr,
  ).toEqual([]);
  expect(checks.filter(({ engine }) => engine === 'openconnect').map(({ name }) => name)).toEqual(checkNames);
  expect(checks.find(({ name }) => name === 'neighbours')?.seenBy).toEqual(['neighbour']);
  expect(code).toBe(0);
  expect(await machines.snapshot()).toEqual(before);
  expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
  expect(serving.notes()).toContain(`A self-test of ${networkAddresses.tested} has begun.`);
  // The other computer learns of its end later than whoever has ended.
  await expect
    .poll(() => serving.notes())
    .toContain(`The self-test of ${networkAddresses.tested} has ended.`);

  const report = await readFile(path.join(`/proc/${machines.tested.pid}/root/run`, 'report.txt'), 'utf8');
  expect(report).toContain('gateway: on another computer');
  expect(report).not.toContain(networkAddresses.tested);
});

test('nobody is let in who does not know the code, and nothing is done', async () => {
  const before = await machines.snapshot();
  const { code, stdout } = await against('0000-0000-0000-0000', '--json', '--yes');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'wrong-code' } });
  expect(code).toBe(4);
  expect(await machines.snapshot()).toEqual(before);
  await expect.poll(() => serving.notes()).toContain(`${networkAddresses.tested} did not know the code.`);
});

test('a network is not interrupted unless somebody has said so', async () => {
  const { code, stdout } = await against(serving.code, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-confirmed' } });
  expect(code).toBe(2);
});
