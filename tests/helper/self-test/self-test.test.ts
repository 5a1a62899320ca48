import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNames } from '../../../src/main/self-test/verdict.ts';
import { eventually, exec, words } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { unifiedCgroups } from '../../lab/machine/control-groups.ts';
import { checksOf, selfTestArgv } from '../support/self-test/self-test-run.ts';

/** `waymaker self-test` on this machine, whose own network it must not touch. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-self-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const argv = (...more: string[]) => selfTestArgv(programFile('src/main/cli/index.ts'), ...more);

/** What a self-test could leave outside of its own namespaces: network, named namespaces, processes and groups. */
async function whatIsThere(): Promise<string[]> {
  const told = await Promise.all(
    ['ip -oneline address', 'ip rule', 'ip route show table all', 'nft list ruleset'].map(
      async (command) => (await exec(words(command))).stdout,
    ),
  );
  const groups = readdirSync(await unifiedCgroups()).filter((name) => name.includes('self-test'));
  return [...told, ...groups, readFileSync('/etc/resolv.conf', 'utf8'), ...selfTestProcesses()];
}

function selfTestProcesses(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('self-test-inside');
    } catch {
      return false;
    }
  });
}

test('every promise is seen to be kept on this machine, and nothing is left of it', async () => {
  const before = await whatIsThere();
  const report = path.join(folder, 'report.txt');
  const { code, stdout, stderr } = await exec([...argv('--json'), '--report', report], { timeout: 120_000 });
  const checks = checksOf(stdout);
  const notPassed = checks.filter(({ outcome }) => outcome !== 'passed');
  expect(notPassed, stderr).toEqual([]);
  expect(checks.filter(({ engine }) => engine === 'openconnect').map(({ name }) => name)).toEqual(checkNames);
  expect(checks.filter(({ engine }) => engine === 'own').map(({ name }) => name)).toContain('engine-killed');
  expect(
    checks.filter(({ seenBy }) => seenBy.length === 0),
    'without a witness',
  ).toEqual([]);
  expect(code).toBe(0);
  expect(await whatIsThere()).toEqual(before);

  const text = await readFile(report, 'utf8');
  expect(text).toContain('others-routes, engine openconnect: passed');
  expect(text).toContain('198.51.100.2');
  expect(text.toLowerCase()).not.toContain(os.hostname().toLowerCase());
  expect(statSync(report).mode & 0o777).toBe(0o644);
});

test('ended in the middle, nothing of it stays, and what a killed one could not remove the next one does', async () => {
  const before = await whatIsThere();
  const groups = await unifiedCgroups();
  const [file = '', ...args] = argv('--engine', 'own');
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    let notes = '';
    child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
    await eventually('it has begun', () => (notes.includes('Tunnel') ? true : undefined));
    expect(selfTestProcesses(), 'positive control').not.toEqual([]);
    child.kill(signal);
    const [code] = await ended;
    expect(code).toBe(signal === 'SIGKILL' ? null : 130);
    await eventually('all its processes are gone', () =>
      selfTestProcesses().length === 0 ? true : undefined,
    );
    // Of all that it makes, the kernel keeps only groups.
    if (signal === 'SIGKILL')
      await mkdir(path.join(groups, `waymaker-self-test-${child.pid}`, '0', 'inside'), { recursive: true });
  }
  expect(await whatIsThere()).toEqual(before);
});

const withoutDevice = 'mount -t tmpfs tmpfs /dev/net && exec "$@"';

test.each([
  ['not-root', words('setpriv --reuid 65534 --regid 65534 --clear-groups --')],
  ['no-tun', ['unshare', '--mount', 'sh', '-c', withoutDevice, 'sh']],
  // As in a container.
  ['no-namespaces', words('setpriv --bounding-set -sys_admin --inh-caps -sys_admin --')],
])('where it cannot run, it says why: %s', async (code, under) => {
  const ended = await exec([...under, ...argv('--json')]);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } });
  expect(ended.code).toBe(4);
  const inChinese = await exec([...under, ...argv()], { env: { LC_ALL: 'zh_CN.UTF-8' } });
  expect(inChinese.stderr).toMatch(/\p{Script=Han}/u);
  expect(inChinese.code).toBe(4);
});

test('without nf_tables in the kernel, and with a report that cannot be written, it says so', async () => {
  const fake = path.join(folder, 'nft');
  await writeFile(
    fake,
    '#!/bin/sh\necho "Error: Could not process rule: Operation not supported" >&2\nexit 1\n',
    {
      mode: 0o755,
    },
  );
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const report = path.join(folder, 'absent/report.txt');
  const { code, stderr } = await exec(argv('--report', report), { env });
  expect(stderr).toContain('Operation not supported');
  expect(stderr).toContain(`could not be written to ${report}`);
  expect(code).toBe(4);
});
