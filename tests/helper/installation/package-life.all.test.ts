import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { startGapMeter } from '../../lab/packets/gaps.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { versions } from '../support/installed/core-deb.ts';
import { unit } from '../support/installed/installed-machine.ts';
import { createPackageMachine, type PackageMachine } from '../support/installed/package-machine.ts';

/** What becomes of an installed package, by real apt and dpkg, while its user is connected. */

let machine: PackageMachine;

beforeAll(async () => {
  machine = await createPackageMachine();
});
afterAll(() => machine?.[Symbol.asyncDispose]());

const source = async (marker = 'where') =>
  (await machine.installed.net.lab.user.probe.http4(marker))?.address;

async function apt(argv: string): Promise<void> {
  const { code, stderr, stdout } = await machine.apt(words(argv));
  expect(code, `${stderr}\n${stdout}`).toBe(0);
}

async function succeed(argv: string): Promise<string> {
  const { code, stdout, stderr } = await machine.waymaker(words(argv));
  expect(code, stderr).toBe(0);
  return stdout;
}

test('an upgrade while connected lets nothing out, and the tunnel and its connections go on', async () => {
  const { installed } = machine;
  const { lab } = installed.net;
  await apt('update');
  await apt(`install waymaker-core=${versions.current}`);
  const before = await installed.helper();
  await machine.startCore();
  await succeed('mode --kill-switch on');
  await succeed('connect');
  expect(await source()).toBe(addresses.gateway.ipv4);

  const meter = await startGapMeter(lab.user);
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream('upgrade');
  await apt('install waymaker-core');
  expect(await installed.helper()).not.toBe(before);
  const begun = performance.now();
  await eventually(
    'the tunnel is back',
    async () => (await source()) === addresses.gateway.ipv4 || undefined,
  );
  const back = performance.now() - begun;
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'upgrade')).toEqual([]);
  const gaps = await meter.end();
  console.log({ back, gaps });
  console.log(
    await installed.machine.run(
      words(`journalctl --output=short-monotonic --no-pager --lines=60 --unit=${unit} --unit=core`),
    ),
  );
  expect(gaps.isTcpAlive).toBe(true);
  expect(await succeed('--version')).toContain(versions.next);

  await succeed('disconnect');
  const control = await lab.capture();
  expect(await source('upgrade')).toBe(addresses.user.ipv4);
  expect(findLeaks(await control.stop(), 'upgrade'), 'positive control').not.toEqual([]);
});
