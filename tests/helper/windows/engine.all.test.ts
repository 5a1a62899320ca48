import { readFile } from 'node:fs/promises';
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
  const record = path.join(import.meta.dirname, 'process-double.c');
  const recording = path.join(windows.folder, 'process-double.dll');
  await run(
    [compiler, '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-o', recording, record].concat(
      path.join(import.meta.dirname, 'process-double.def'),
      '-ladvapi32',
    ),
  );
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
      PROCESS_DOUBLE: windows.path('process-double.dll'),
      RECORD_FILE: windows.path('record.jsonl'),
    });
    const events = () =>
      driver
        .output()
        .split('\n')
        // The last one may not be whole yet.
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { event: string; given?: Given; transport?: string });
    const assigned = () => {
      const found = events().find(({ event }) => event === 'configuration')?.given;
      if (!found && events().some(({ event }) => event === 'ended')) throw new Error(driver.output());
      return found;
    };
    const given = await eventually('the gateway assigns addresses', assigned, { timeout: 60_000 });
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

    // The engine has been started as somebody else, with nothing but its pipes, and within limits.
    const calls = (await readFile(path.join(windows.folder, 'record.jsonl'), 'utf8')).trim().split('\n');
    expect(calls.map((line): unknown => JSON.parse(line))).toEqual([
      {
        call: 'LogonUserW',
        user: 'LocalService',
        domain: 'NT AUTHORITY',
        password: false,
        type: 5,
        provider: 0,
      },
      { call: 'CreateRestrictedToken', flags: 1, disabled: 0, deleted: 0, restricting: 0, isOfLogOn: true },
      {
        call: 'SetInformationJobObject',
        class: 9,
        // At most one process and so much memory, gone with the helper.
        limits: 0x2508,
        processes: 1,
        memory: 512 * 1024 * 1024,
      },
      { call: 'SetInformationJobObject', class: 4, windows: 0xff },
      {
        call: 'CreateProcessAsUserW',
        isRestricted: true,
        inherits: true,
        // Suspended, with an environment in UTF-16 and further information, and without a window.
        flags: 0x8080404,
        isExtended: true,
        usesHandles: true,
        desktop: '',
        environment: expect.stringMatching(/^SystemRoot=C:\\windows;$/i) as unknown,
        access: 'D:P(A;;GA;;;SY)(A;;GA;;;BA)',
        // Nothing, two pipes for words, two overlapped ones, and nothing for a client certificate.
        descriptors: [0x41, 0x09, 0x09, 0x09, 0x09, 0x41],
        listed: 6,
        areListed: true,
        arePipes: '011110',
      },
      { call: 'AssignProcessToJobObject' },
      { call: 'ResumeThread', wasSuspended: 1 },
    ]);
    const [engine] = windows.processes('engine.mjs --restricted');
    expect(engine).toBeGreaterThan(0);
    // Gone with the helper, whose job it is in.
    for (const pid of windows.processes('engine-driver.mjs')) process.kill(pid, 'SIGKILL');
    await eventually('the engine is gone', () => windows.processes('engine.mjs').length === 0 || undefined);
  },
);
