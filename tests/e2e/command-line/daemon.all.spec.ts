import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { addresses, pools } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { signInByCommand, type CommandLine } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

/** The core without a window, as the user service runs it: what it does for the tunnel when nobody gives a command. */

test.skip(withoutRoot, 'the laboratory needs root');

test.beforeEach(({ commandLine, keyring }) => {
  // As for a user whose session outlives the daemon.
  Object.assign(commandLine.env, keyring.env);
});

const status = z.object({
  tunnel: z.looseObject({ state: z.string(), addresses: z.object({ ipv4: z.string() }).optional() }),
  core: z.object({ kind: z.string(), pid: z.int() }),
});
const startService = (commandLine: CommandLine) => commandLine.start(['daemon', '--service'], /has the core/);
const tunnelOf = async (commandLine: CommandLine) => status.parse(await commandLine.json(['status'])).tunnel;
const untilConnected = { timeout: waitLimit(45_000) };

test('the daemon connects again by itself once the gateway has forgotten the session', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
}) => {
  const { pid } = await startService(commandLine);
  await signInByCommand(commandLine, service, email);
  await commandLine.succeed(['connect']);
  const { addresses: first } = await tunnelOf(commandLine);
  await lab.gateway.restart({ pool: pools.second });
  try {
    await expect
      .poll(async () => {
        const { state, addresses: now } = await tunnelOf(commandLine);
        return state === 'connected' && now?.ipv4 !== first?.ipv4;
      }, untilConnected)
      .toBe(true);
    expect((await lab.user.probe.http4('renewed'))?.address).toBe(addresses.gateway.ipv4);
    expect(commandLine.daemon(), 'the same daemon').toBe(pid);
    await commandLine.succeed(['disconnect']);
  } finally {
    await lab.gateway.restart({ pool: pools.first });
  }
});

test('with the kill switch on, the daemon connects again after its helper was killed, and nothing gets out', async ({
  commandLine,
  service,
  helper,
  lab,
  email,
  networkBefore,
}) => {
  const source = async () => (await lab.user.probe.http4('daemon'))?.address;
  await startService(commandLine);
  await signInByCommand(commandLine, service, email);
  await commandLine.succeed(['mode', '--kill-switch', 'on']);
  await commandLine.succeed(['connect']);
  await helper.kill();
  expect(await source()).toBeUndefined();
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream('daemon');
  await helper.start();
  await expect.poll(source, untilConnected).toBe(addresses.gateway.ipv4);
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'daemon')).toEqual([]);
  expect(await tunnelOf(commandLine)).toMatchObject({ state: 'connected' });

  await commandLine.succeed(['disconnect']);
  expect(await lab.user.snapshot()).toBe(networkBefore);
  const control = await lab.capture();
  expect(await source()).toBe(addresses.user.ipv4);
  expect(findLeaks(await control.stop(), 'daemon'), 'positive control').not.toEqual([]);
});

test('the daemon connects at its start where the user has chosen that, and not otherwise', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
}) => {
  await startService(commandLine);
  await signInByCommand(commandLine, service, email);
  await commandLine.end();
  await startService(commandLine);
  // A choice in the app's settings.
  expect(await tunnelOf(commandLine)).toMatchObject({ state: 'disconnected' });
  await commandLine.end();
  const file = path.join(directory, 'app/settings.json');
  const settings = z.looseObject({}).parse(JSON.parse(await readFile(file, 'utf8')));
  await writeFile(file, JSON.stringify({ ...settings, connectAtStart: true }));

  await startService(commandLine);
  // No command is given until it is connected.
  await expect
    .poll(async () => (await lab.user.probe.http4('start'))?.address, untilConnected)
    .toBe(addresses.gateway.ipv4);
  expect(await tunnelOf(commandLine)).toMatchObject({ state: 'connected' });
  await commandLine.succeed(['disconnect']);
});
