import path from 'node:path';
import { expect, test } from 'vitest';
import { exchangeStreams } from '../support/hashed-streams.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { eventually, run } from '../../lab/runs/process.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';

const net = helperLabForEach({ engine: 'own' });

const device = 'wintun0';
const port = 40_000;

interface Given {
  ipv4?: string;
  ipv6?: string;
  mtu?: string;
}

async function bringEngine(windows: Windows): Promise<void> {
  const double = path.join(import.meta.dirname, 'wintun-double.c');
  const library = path.join(windows.folder, 'wintun.dll');
  const compiler = 'x86_64-w64-mingw32-gcc';
  await run([compiler, '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-o', library, double, '-lws2_32']);
  await windows.bring(programFile('tests/helper/windows/engine-driver.ts'), 'engine-driver.mjs');
  await windows.bring(programFile('helper/windows/start-engine.ts'), 'engine.mjs');
}

/** A device of Linux, to which the double of Wintun carries packets. */
async function makeDevice(): Promise<void> {
  const { user } = net.lab;
  await user.run(['ip', 'tuntap', 'add', 'dev', device, 'mode', 'tun', 'vnet_hdr']);
  await user.spawnUntil(
    [process.execPath, programFile('tests/helper/windows/tun-relay.ts'), device, String(port)],
    /ready/,
  );
}

/** What the helper would do with what the gateway has assigned. */
async function configure({ ipv4, ipv6, mtu }: Given): Promise<void> {
  const commands = [
    `link set ${device} mtu ${mtu} up`,
    ...(ipv4 === undefined ? [] : [`addr add ${ipv4} dev ${device}`, `route add 203.0.113.80 dev ${device}`]),
    ...(ipv6 === undefined
      ? []
      : [`addr add ${ipv6} dev ${device} nodad`, `-6 route add 2001:db8:3::80 dev ${device}`]),
  ];
  for (const command of commands) await net.lab.user.run(['ip', ...command.split(' ')]);
}

test.skipIf(whyNoWindows() !== undefined)(
  'under wine, our own engine carries streams both ways through the rings of Wintun’s double to ocserv',
  async () => {
    const session = await net.signIn();
    const { gateway, user } = net.lab;
    await makeDevice();
    await using windows = await createWindows({ machine: user });
    await bringEngine(windows);
    const asked = JSON.stringify({ address: gateway.address.ipv4, port: gateway.port, session });
    const driver = windows.start(['Z:\\work\\node.exe', 'Z:\\work\\engine-driver.mjs', asked], {
      WINTUN_DOUBLE_PORT: String(port),
      // As after a boot.
      WINTUN_DOUBLE_FAILS: '2',
    });
    const events = () =>
      driver
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { event: string; given?: Given; transport?: string });
    const given = await eventually('the gateway assigns addresses', () => {
      const found = events().find(({ event }) => event === 'configuration')?.given;
      if (!found && events().some(({ event }) => event === 'ended')) throw new Error(driver.output());
      return found;
    });
    expect(given).toMatchObject({ ipv4: expect.any(String) as unknown, ipv6: expect.any(String) as unknown });
    // IF_TYPE_PROP_VIRTUAL, and the double's number.
    expect(events()).toContainEqual({ event: 'adapter', luid: String((53n << 48n) | (7n << 24n)) });
    expect(driver.output().match(/not made yet/g)).toHaveLength(2);
    await configure(given);
    await eventually(
      'DTLS carries the packets',
      () =>
        events().some(({ event, transport }) => event === 'transport' && transport === 'dtls') || undefined,
    );
    await exchangeStreams(net, 1_000_000);
    expect(events().map(({ event }) => event)).not.toContain('ended');
  },
);
