import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { words } from '../../lab/runs/process.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { signInByCommand } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';
import { installProbeProgram } from '../support/tunnel/probe-program.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('mode --local-network opens the user’s own network, and nothing else, in every mode that captures it', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
  networkBefore,
}) => {
  const { run, json, succeed } = commandLine;
  const { neighbour, userPrivate, direct, gateway } = addresses;
  Object.assign(commandLine.env, (await installProbeProgram(lab, directory)).env);

  /** The addresses from which somebody on the user's own network was asked, and how many packets they were sent. */
  async function local() {
    const capture = await lab.capture(`tcp and (dst host ${neighbour.ipv4} or dst host ${neighbour.ipv6})`);
    const seen = [];
    for (const host of [neighbour.ipv4, `[${neighbour.ipv6}]`]) {
      const curl = [...words('curl --silent --noproxy * --globoff'), ...curlLimits(), `http://${host}/near`];
      const { code, stdout } = await lab.user.exec(curl);
      seen.push(code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined);
    }
    return { seen, packets: (await capture.stop()).length };
  }
  /** What left for anybody else, outside the tunnel. */
  async function leaks() {
    const capture = await lab.capture();
    await using stream = await lab.user.probe.stream('elsewhere');
    const seen = await lab.user.probe.http4('elsewhere');
    await stream[Symbol.asyncDispose]();
    return { seen: seen?.address, leaks: findLeaks(await capture.stop(), 'elsewhere').length };
  }
  const isOpen = { seen: [userPrivate.ipv4, userPrivate.ipv6], packets: expect.any(Number) };
  /** In the laboratory, the gateway can reach them as well. */
  const isClosed = { seen: [gateway.ipv4, gateway.ipv6], packets: 0 };

  expect((await local()).packets, 'positive control').toBeGreaterThan(0);
  expect((await leaks()).leaks, 'positive control').toBeGreaterThan(0);
  const wrong = await run(['mode', '--local-network', 'perhaps']);
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  expect(await json(['mode'])).toMatchObject({ localNetwork: false });

  await signInByCommand(commandLine, service, email);
  await succeed(['connect']);
  const modes = [['global'], ['ip', '--except', direct.ipv4], ['apps', '--except', 'probe']];
  for (const mode of modes) {
    expect(await json(['mode', ...mode])).toMatchObject({ localNetwork: false });
    expect(await local(), `${mode.join(' ')}, off`).toEqual(isClosed);
    expect(await json(['mode', '--local-network', 'on'])).toMatchObject({ localNetwork: true });
    expect(await local(), `${mode.join(' ')}, on`).toEqual(isOpen);
    expect(await leaks(), mode.join(' ')).toEqual({ seen: gateway.ipv4, leaks: 0 });
    expect((await run(['mode'])).stdout).toMatch(/^Local network +on$/m);
    await json(['mode', '--local-network', 'off']);
  }
  expect(await local(), 'closed again').toEqual(isClosed);

  // With a mode in the same command, and from the beginning of the next connection.
  await json(['mode', 'global', '--local-network', 'on', '--kill-switch', 'on']);
  expect(await local()).toEqual(isOpen);
  await succeed(['disconnect']);
  await commandLine.end();
  expect(await json(['status'])).toMatchObject({ preferences: { localNetwork: true, killSwitch: true } });
  await succeed(['connect']);
  expect(await local()).toEqual(isOpen);
  expect(await leaks()).toEqual({ seen: gateway.ipv4, leaks: 0 });
  await succeed(['disconnect']);
  expect(await lab.user.snapshot()).toBe(networkBefore);
});
