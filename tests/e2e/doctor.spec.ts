import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { names } from '../lab/addresses.ts';
import { expect, withoutRoot } from './fixtures.ts';
import { signInByCommand } from './support/command-line.ts';
import { test } from './support/command-line-fixture.ts';
import { serverNames } from './support/service.ts';

/** What the doctor says of what this computer lacks, and of what does not answer; command-line.spec.ts has the rest. */

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

/** Runs a command where a script has changed what it sees of the file system. */
const where = (script: string, ...args: string[]) => ({
  under: ['unshare', '--mount', 'bash', '-ec', `${script}; shift ${args.length}; exec "$@"`, 'bash', ...args],
});

test('the doctor says what is not installed: the engine, users, the tunnel device', async ({
  commandLine,
  service,
  helper: _helper,
  email,
}) => {
  await signInByCommand(commandLine, service, email);
  const without = async (script: string) => {
    const { code, stdout } = await commandLine.run(['doctor', '--json'], where(script));
    expect(code).toBe(7);
    return problemsIn(JSON.parse(stdout));
  };
  expect(await without('mount --bind /dev/null "$(command -v openconnect)"')).toEqual({
    engine: expect.stringContaining('openconnect'),
  });
  const accounts = 'mount -t tmpfs none /mnt; grep -v ^waymaker-proxy: /etc/passwd >/mnt/passwd';
  expect(await without(`${accounts}; mount --bind /mnt/passwd /etc/passwd`)).toEqual({
    users: expect.stringContaining('Missing: waymaker-proxy.'),
  });
  expect(await without('mount -t tmpfs none /dev/net')).toEqual({
    device: expect.stringContaining('/dev/net/tun'),
  });
});

test('the doctor says which of resolver, service and chosen server does not answer', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
}) => {
  await signInByCommand(commandLine, service, email);
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
    expect(problemsIn(await commandLine.json(['doctor']))).toEqual({
      service: expect.stringContaining(names.service),
      probe: expect.any(String),
    });
  } finally {
    await service.start();
  }

  await lab.gateway.stop();
  try {
    expect(problemsIn(await commandLine.json(['doctor']))).toEqual({
      gateway: expect.stringContaining(serverNames.first),
    });
  } finally {
    await lab.gateway.start();
  }
  expect(problemsIn(await commandLine.json(['doctor'])), 'all is well again').toEqual({});
});
