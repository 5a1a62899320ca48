import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createPackageMachine, type PackageMachine } from '../support/installed/package-machine.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/** A machine without a keychain, as servers are, that is shut down while its user is connected, and booted again. */

let life: PackageMachine;

beforeAll(async () => {
  life = await createPackageMachine({ hasDisk: true });
});
afterAll(() => life?.[Symbol.asyncDispose]());

test('after a reboot, traffic is blocked as before, the user is still signed in, and the tunnel comes up', async () => {
  const { installed } = life;
  for (const command of ['update', 'install waymaker-core']) {
    const { code, stderr } = await life.apt(words(command));
    expect(code, stderr).toBe(0);
  }
  await installed.helper();
  await life.startCore();
  await life.succeed('mode --kill-switch on');
  await life.succeed('connect');
  expect(await life.installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  const before = JSON.parse(await life.succeed('status --json')) as unknown;
  expect(before).toMatchObject({ signedIn: true, keptIn: 'helper' });

  await installed.reboot();
  await installed.helper();
  expect(await life.installed.net.lab.user.seenFrom()).toBeUndefined();
  await life.startDaemon();
  expect(JSON.parse(await life.succeed('status --json'))).toMatchObject({ signedIn: true, keptIn: 'helper' });
  await eventually(
    'the tunnel is back',
    async () => (await life.installed.net.lab.user.seenFrom()) === addresses.gateway.ipv4 || undefined,
  );
  await life.succeed('disconnect');
  expect(await life.installed.net.lab.user.seenFrom(), 'positive control').toBe(addresses.user.ipv4);
});
