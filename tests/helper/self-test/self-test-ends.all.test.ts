import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { checkNames } from '../../../src/main/self-test/check-names.ts';
import { exec, words } from '../../lab/runs/process.ts';
import { unifiedCgroups } from '../../lab/machine/control-groups.ts';
import { programFile } from '../../lab/runs/programs.ts';
import {
  checksOf,
  endInTheMiddle,
  leftSince,
  selfTestArgv,
  whatIsThere,
  withTime,
} from '../support/self-test/self-test-run.ts';

const argv = selfTestArgv(programFile('src/main/cli/index.ts'), '--engine', 'own');

test('killed in the middle, nothing of it stays but empty groups, which the next one removes', async () => {
  const before = await whatIsThere();
  const { pid, code } = await endInTheMiddle(argv, 'SIGKILL');
  expect(code).toBe(null);
  const group = `waymaker-self-test-${pid}`;
  const isOther = (name: string) => name !== group;
  await expect.poll(async () => (await leftSince(before)).filter(isOther)).toEqual([]);
  // As it has them while it routes by app.
  await mkdir(path.join(await unifiedCgroups(), group, '0', 'inside'), { recursive: true });
  await endInTheMiddle(argv, 'SIGTERM');
  await expect.poll(() => leftSince(before)).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a self-test that gets %s leaves nothing',
  async (signal) => {
    const before = await whatIsThere();
    const { code } = await endInTheMiddle(argv, signal);
    expect(code).toBe(signal === 'SIGHUP' ? null : 130);
    await expect.poll(() => leftSince(before)).toEqual([]);
  },
);

test('two self-tests at once do not disturb each other', async () => {
  const before = await whatIsThere();
  const env = withTime();
  const both = await Promise.all(
    [argv, argv].map((one) => exec([...one, '--json'], { env, timeout: 150_000 })),
  );
  expect(
    both.flatMap(({ stdout }) => checksOf(stdout)).filter(({ outcome }) => outcome !== 'passed'),
  ).toEqual([]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  await expect.poll(() => leftSince(before)).toEqual([]);
});

test('a terminal gets one line for each check, in Chinese as well', async () => {
  const { stdout, code } = await exec(argv, {
    env: { ...withTime(), LC_ALL: 'zh_TW.UTF-8' },
    timeout: 150_000,
  });
  const lines = stdout.trimEnd().split('\n');
  expect(
    lines.every((line) => stringWidth(line) <= 80),
    stdout,
  ).toBe(true);
  expect(lines.at(-1)).toMatch(/全部通過/);
  expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(checkNames.length);
  expect(code).toBe(0);
});

/** As with the kernel's parameter ipv6.disable_ipv6=1, every new network is without it. */
const unshareWithoutIpv6 = `#!/bin/sh
until [ "$1" = -- ]; do options="$options $1"; shift; done
shift
exec /usr/bin/unshare $options -- sh -c '
    for of in all default; do echo 1 > /proc/sys/net/ipv6/conf/$of/disable_ipv6; done
    exec "$@"' sh "$@"
`;

test('where IPv6 is switched off, what needs it is not checked, and everything else is', async () => {
  await using folder = await temporaryFolder();
  await writeFile(path.join(folder.path, 'unshare'), unshareWithoutIpv6, { mode: 0o755 });
  const env = { ...withTime(), PATH: `${folder.path}:${process.env['PATH'] ?? ''}` };
  const { code, stdout, stderr } = await exec([...argv, '--json'], { env, timeout: 150_000 });
  const notPassed = checksOf(stdout).filter(({ outcome }) => outcome !== 'passed');
  expect(
    notPassed.map(({ name, outcome, why }) => `${name}: ${outcome}, ${why}`),
    stderr,
  ).toEqual(['ipv6: not-checked, no-ipv6', 'other-ip-version: not-checked, no-ipv6']);
  expect(code).toBe(8);
});

/** Programs under test may be in /tmp themselves. */
const fullTmp = `
mount --bind "$0" /mnt && mount -t tmpfs -o size=4k tmpfs /tmp && mkdir -p "$0" && mount --bind /mnt "$0" || exit 1
head -c 64k /dev/zero > /tmp/full
exec "$@"`;

test('the self-test also runs with a full /tmp', async () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const under = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', fullTmp, root];
  const { code, stdout, stderr } = await exec([...under, ...argv, '--json'], {
    env: withTime(),
    timeout: 150_000,
  });
  expect(stderr).toContain('No space left');
  expect(
    checksOf(stdout).filter(({ outcome }) => outcome !== 'passed'),
    stderr,
  ).toEqual([]);
  expect(code).toBe(0);
});

const withoutDevice = 'mount -t tmpfs tmpfs /dev/net && exec "$@"';

test.each([
  ['not-root', words('setpriv --reuid 65534 --regid 65534 --clear-groups --')],
  ['no-tun', ['unshare', '--mount', 'sh', '-c', withoutDevice, 'sh']],
])('where it cannot run, it says why: %s', async (code, under) => {
  const ended = await exec([...under, ...argv, '--json']);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } });
  expect(ended.code).toBe(4);
});

test('without nf_tables in the kernel, and with a report that cannot be written, it says so', async () => {
  await using folder = await temporaryFolder();
  const error = 'Error: Could not process rule: Operation not supported';
  await writeFile(path.join(folder.path, 'nft'), `#!/bin/sh\necho "${error}" >&2\nexit 1\n`, { mode: 0o755 });
  const env = { PATH: `${folder.path}:${process.env['PATH'] ?? ''}` };
  const report = path.join(folder.path, 'absent/report.txt');
  const { code, stderr } = await exec([...argv, '--report', report], { env });
  expect(stderr).toContain('Operation not supported');
  expect(stderr).toContain(`could not be written to ${report}`);
  expect(code).toBe(4);
});

async function temporaryFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-self-test-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
