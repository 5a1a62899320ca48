import { addresses } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { commandError } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

/** `waymaker restore`, for people who are cut off and have no helper to ask. */

test.skip(withoutRoot, 'the laboratory needs root');

if (isExhaustive)
  test('restore opens what a killed helper has left blocked, and stops one that runs only by force', async ({
    signedInCommandLine: commandLine,
    helper,
    lab,
    networkBefore,
  }) => {
    const { run, json, succeed } = commandLine;
    const stateDirectory = ['--state-dir', helper.stateDirectory];
    const source = async (marker: string) => (await lab.user.probe.http4(marker))?.address;
    await succeed(['mode', '--kill-switch', 'on']);
    await succeed(['connect']);
    expect(commandError.parse(await json(['restore', ...stateDirectory])).error.code).toBe('helper-running');
    expect(await source('inside')).toBe(addresses.gateway.ipv4);

    await helper.kill();
    expect(await source('blocked')).toBeUndefined();
    const restored = await run(['restore', ...stateDirectory]);
    expect(restored.stderr).toBe('');
    expect(restored.code).toBe(0);
    expect(await lab.user.snapshot()).toBe(networkBefore);
    expect(await source('open')).toBe(addresses.user.ipv4);

    await helper.start();
    await succeed(['connect']);
    await succeed(['restore', '--force', ...stateDirectory]);
    expect(await lab.user.snapshot()).toBe(networkBefore);
    expect(await source('forced')).toBe(addresses.user.ipv4);
  });

test('restore is refused to who is not root, and says what to do', async ({ commandLine }) => {
  // It can read this program wherever it is, and do nothing else that its user may not.
  const caps = '+dac_read_search';
  const under = words(
    `setpriv --reuid 65534 --clear-groups --inh-caps ${caps} --ambient-caps ${caps} --bounding-set -all,${caps}`,
  );
  const refused = await commandLine.run(['restore', '--json'], { under });
  expect(refused.code).toBe(1);
  expect(commandError.parse(JSON.parse(refused.stdout)).error.code).toBe('not-root');
  expect(refused.stderr).toContain('sudo waymaker restore');
});
