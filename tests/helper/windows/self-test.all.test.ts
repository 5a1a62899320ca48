import { expect, test } from 'vitest';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';
import { checksOf, selfTestArgv } from '../support/self-test/self-test-run.ts';
import { createTwoMachines, networkAddresses } from '../support/self-test/two-machines.ts';

const without = whyNoWindows() !== undefined;

/** The command line, with a helper beside it. */
async function bringPrograms(windows: Windows): Promise<void> {
  await windows.bring(programFile('src/main/cli/index.ts'), 'app/cli.js');
  await windows.bring(programFile('helper/index.ts'), 'helper/helper.mjs');
}

test.skipIf(without)('a program for Windows serves the self-test of another computer', async () => {
  await using machines = await createTwoMachines();
  await using windows = await createWindows({ machine: machines.serving });
  await bringPrograms(windows);
  const serving = windows.start([
    windows.path('node.exe'),
    windows.path('app/cli.js'),
    'self-test',
    '--serve',
    '--json',
  ]);
  const code = await eventually('it shows a code', () => /"code":"([\w-]+)"/.exec(serving.output())?.[1], {
    timeout: 60_000,
  });
  const { stdout, stderr } = await machines.tested.exec(
    selfTestArgv(programFile('src/main/cli/index.ts'), '--against', networkAddresses.serving).concat(
      '--json',
      '--yes',
      '--engine',
      'own',
    ),
    { env: { WAYMAKER_SELF_TEST_CODE: code }, timeout: 180_000 },
  );
  const notPassed = checksOf(stdout).filter(({ outcome }) => outcome !== 'passed');
  // Windows lets no program send whole frames.
  expect(
    notPassed.map(({ name, outcome, why }) => `${name}: ${outcome}, ${why}`),
    `${stderr}\n${serving.output()}`,
  ).toEqual(['neighbours: not-checked, no-observer']);
});

test.skipIf(without)(
  'where it cannot begin, a self-test on Windows says why, and has done nothing',
  async () => {
    await using windows = await createWindows();
    await bringPrograms(windows);
    const { code, output } = await windows.node('app/cli.js', ['self-test', '--json', '--yes']);
    expect(output).toMatch(/"code":"(?:no-uplink|not-root)"/);
    expect(code).toBe(4);
  },
);
