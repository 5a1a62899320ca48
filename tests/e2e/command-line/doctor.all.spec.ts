import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { addresses, names } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { signInByCommand } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';
import { installProbeProgram } from '../support/tunnel/probe-program.ts';
import { serverNames } from '../support/service/service.ts';

/** What the doctor says of what this computer lacks, of what does not answer, and of traffic that goes another way. */

test.skip(withoutRoot, 'the laboratory needs root');

const checks = z.object({
  checks: z.array(z.object({ check: z.string(), outcome: z.string(), message: z.string().nullable() })),
});
/** The texts of the problems in what the doctor printed, by check. */
const problemsIn = (printed: unknown) =>
  Object.fromEntries(
    checks
      .parse(printed)
      .checks.flatMap(({ check, outcome, message }) => (outcome === 'problem' ? [[check, message]] : [])),
  );

const checksWithProblems = (printed: unknown) => Object.keys(problemsIn(printed));

/**
 * Looks again until the doctor says what it should, and nothing else: it does not wait long for what it asks, and on a
 * busy machine any answer may once come too late.
 */
const expectDoctor = <Judged>(judge: () => Promise<Judged>, message?: string) => expect.poll(judge, message);

/** Runs a command where a script has changed what it sees of the file system. */
const where = (script: string, ...args: string[]) => ({
  under: ['unshare', '--mount', 'bash', '-ec', `${script}; shift ${args.length}; exec "$@"`, 'bash', ...args],
});

test('the doctor says what is missing: users, the tunnel device, space on the disk', async ({
  signedInCommandLine: commandLine,
}) => {
  const without = (script: string) =>
    expectDoctor(async () => {
      const { code, stdout } = await commandLine.run(['doctor', '--json'], where(script));
      expect(code).toBe(7);
      return problemsIn(JSON.parse(stdout));
    });
  const accounts = 'mount -t tmpfs none /mnt; grep -v ^waymaker-proxy: /etc/passwd >/mnt/passwd';
  await without(`${accounts}; mount --bind /mnt/passwd /etc/passwd`).toEqual({
    users: expect.stringContaining('Missing: waymaker-proxy.'),
  });
  await without('mount -t tmpfs none /dev/net').toEqual({
    device: expect.stringContaining('/dev/net/tun'),
  });
  const full = 'mount -t tmpfs -o size=1M none /var/lib; mkdir /var/lib/waymaker';
  await without(full).toEqual({ disk: expect.stringContaining('/var/lib/waymaker is full') });
});

test('the doctor says which of resolver, service and chosen server does not answer', async ({
  signedInCommandLine: commandLine,
  service,
  lab,
  directory,
}) => {
  const problems = (message?: string) =>
    expectDoctor(async () => problemsIn(await commandLine.json(['doctor'])), message);
  // Nothing answers at port 53 of this machine.
  const resolvConf = path.join(directory, 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\n');
  const unresolved = await commandLine.run(
    ['doctor', '--json'],
    where('mount --bind "$1" /etc/resolv.conf', resolvConf),
  );
  expect(unresolved.code).toBe(7);
  expect(problemsIn(JSON.parse(unresolved.stdout))).toMatchObject({
    resolver: expect.stringContaining(names.service),
  });

  await service.stop();
  try {
    await problems().toEqual({
      service: expect.stringContaining(names.service),
      probe: expect.any(String),
    });
  } finally {
    await service.start();
  }

  await lab.gateway.stop();
  try {
    await problems().toEqual({
      gateway: expect.stringContaining(serverNames.first),
    });
  } finally {
    await lab.gateway.start();
  }
  await problems('all is well again').toEqual({});
});

test('routes as it is told, and the doctor finds what is wrong, and nothing where nothing is', async ({
  signedInCommandLine: commandLine,
  helper,
  lab,
}) => {
  const { run, json, succeed } = commandLine;
  const found = () => expectDoctor(async () => checksWithProblems(await json(['doctor'])));
  expect((await run(['mode', 'sideways'])).code).toBe(2);
  expect((await run(['mode', 'ip', 'everywhere'])).code).toBe(2);
  const asBegun = { routing: 'global', killSwitch: false, localNetwork: false, allowIncoming: false };
  expect(await json(['mode'])).toEqual(asBegun);
  expect(await json(['mode', '--incoming', 'on'])).toEqual({ ...asBegun, allowIncoming: true });
  expect((await run(['mode'])).stdout).toMatch(/^Incoming connections +on$/m);
  expect(await json(['mode', '--incoming', 'off'])).toEqual(asBegun);
  // All is well without a tunnel.
  await found().toEqual([]);

  await succeed(['connect']);
  await expectDoctor(async () => (await run(['doctor'])).code).toBe(0);
  await expectDoctor(async () => (await run(['doctor'])).stdout).toMatch(/^(?!.*✗).*✓ +Real traffic +OK/s);
  const { ipv4 } = addresses.service;
  await lab.user.run(words(`ip rule add pref 1 to ${ipv4} lookup main`));
  await found().toEqual(expect.arrayContaining(['route', 'probe']));
  await lab.user.run(words(`ip rule del pref 1 to ${ipv4} lookup main`));

  expect(await json(['mode', 'ip', addresses.direct.ipv4, 'cn'])).toMatchObject({
    routing: 'address',
    addresses: { policy: 'include', countries: ['cn'], prefixes: [`${addresses.direct.ipv4}/32`] },
  });
  expect(await json(['status'])).toMatchObject({ tunnel: { state: 'connected', routing: { mode: 'ip' } } });
  expect((await lab.user.probe.http4('listed-not'))?.address).toBe(addresses.user.ipv4);
  await succeed(['mode', 'ip', '--except', addresses.direct.ipv4]);
  expect((await lab.user.probe.http4('all-but'))?.address).toBe(addresses.gateway.ipv4);
  expect(await json(['mode', 'global', '--kill-switch', 'on'])).toMatchObject({ killSwitch: true });

  await lab.user.run(words('ip link add tun9 type veth peer name tun8'));
  await lab.user.run(words('ip address add 192.0.2.200/32 dev tun9'));
  for (const name of ['tun8', 'tun9']) await lab.user.run(words(`ip link set ${name} up`));
  await found().toContain('other-vpn');
  await lab.user.run(words('ip link del tun9'));
  const withoutNft = await run(['doctor'], {
    under: [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount --bind /dev/null "$(command -v nft)" && exec "$@"',
      'sh',
    ],
  });
  expect([withoutNft.code, withoutNft.stdout]).toEqual([7, expect.stringContaining('Install nftables')]);
  await succeed(['disconnect']);
  await helper.stop();
  await found().toEqual(['helper']);
});

test('the doctor judges every way to route, and finds what goes another way', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
}) => {
  const { run, json, succeed } = commandLine;
  const { service: served, direct } = addresses;
  const judged = async () => {
    const { checks: all } = checks.parse(await json(['doctor']));
    return Object.fromEntries(
      all.flatMap(({ check, outcome }) =>
        ['route', 'probe', 'proxy', 'group'].includes(check) ? [[check, outcome]] : [],
      ),
    );
  };
  /** What the doctor says while a rule of somebody else's comes first. */
  const judgedWith = async (rule: string) => {
    await lab.user.run(words(`ip rule add pref 1 ${rule}`));
    try {
      return await judged();
    } finally {
      await lab.user.run(words(`ip rule del pref 1 ${rule}`));
    }
  };
  const ruleWith = async (selector: RegExp) =>
    selector.exec((await lab.user.exec(words('ip rule show'))).stdout)?.[0] ?? '';
  Object.assign(commandLine.env, (await installProbeProgram(lab, directory)).env);
  await signInByCommand(commandLine, service, email);
  await succeed(['connect']);

  await succeed(['mode', 'ip', served.ipv4, direct.ipv4]);
  await expectDoctor(judged).toEqual({ route: 'ok', probe: 'ok' });
  await expectDoctor(() => judgedWith(`to ${direct.ipv4} lookup main`)).toEqual({
    route: 'problem',
    probe: 'ok',
  });
  await succeed(['mode', 'ip', '--except', served.ipv4]);
  await expectDoctor(judged).toEqual({ route: 'ok', probe: 'ok' });
  await expectDoctor(() => judgedWith('lookup main')).toEqual({ route: 'problem', probe: 'ok' });

  await succeed(['mode', 'auto']);
  expect((await run(['status'])).stdout).toMatch(/^Proxy \(SOCKS5, HTTP\) +127\.0\.0\.1:\d+$/m);
  await expectDoctor(judged).toEqual({ route: 'ok', probe: 'ok', proxy: 'ok' });
  const proxys = await ruleWith(/uidrange \d+-\d+/);
  await expectDoctor(() => judgedWith(`${proxys} lookup main`)).toMatchObject({
    probe: 'ok',
    proxy: 'problem',
  });

  await succeed(['mode', 'apps', 'probe']);
  await expectDoctor(judged).toEqual({ route: 'ok', probe: 'ok', group: 'ok' });
  const groups = await ruleWith(/fwmark 0x\w+/);
  await expectDoctor(() => judgedWith(`${groups} lookup main`)).toEqual({
    route: 'ok',
    probe: 'ok',
    group: 'problem',
  });
  await succeed(['mode', 'apps', '--except', 'probe']);
  await expectDoctor(judged).toEqual({ route: 'ok', probe: 'ok', group: 'ok' });
  await expectDoctor(() => judgedWith('lookup main')).toMatchObject({ route: 'problem', group: 'ok' });
  await succeed(['disconnect']);
});
