import { existsSync } from 'node:fs';
import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { attachedPrograms, hookNames } from '../../../helper/linux/groups/bpf.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { controlGroupOf, unifiedCgroups } from '../../lab/machine/control-groups.ts';
import { eventually, exec } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { startAs } from '../support/programs/grouped-process.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** `--restore`, by which root unblocks traffic where no helper can be asked. */

const net = helperLabForEach();

const argv = () => [
  process.execPath,
  programFile('helper/index.ts'),
  '--restore',
  '--socket',
  net.socket,
  '--state-dir',
  net.stateDirectory,
  '--control-group',
  controlGroupOf(net.lab.user),
];

async function expectRestored(): Promise<void> {
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  expect(await readdir(net.stateDirectory)).toEqual([]);
  expect(await Promise.all([net.engines(), net.proxies()])).toEqual([[], []]);
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
}

const { echo } = addresses;
const routings: Record<string, Routing> = {
  global: { mode: 'global', localNetwork: false },
  automatic: { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
  'by address': {
    mode: 'ip',
    policy: 'include',
    routeIps: [`${echo.ipv4}/32`, `${echo.ipv6}/128`],
    localNetwork: false,
  },
  'by app, all except these': { mode: 'app', policy: 'exclude', localNetwork: false },
};

/** Which leaves the most. */
const usual = ['by app, all except these'];

test.each(
  casesOf({
    usual: Object.entries(routings).filter(([mode]) => usual.includes(mode)),
    all: Object.entries(routings),
  }),
)('undoes what a killed helper has left: %s', async (_mode, routing) => {
  await net.connect({ routing, killSwitch: true });
  await net.end('SIGKILL');
  expect(await net.lab.user.snapshot()).not.toBe(net.initialSnapshot);
  if (routing.mode !== 'pac') expect(await net.lab.user.seenFrom()).toBeUndefined();
  expect(await net.lab.user.exec(argv())).toMatchObject({ code: 0 });
  await expectRestored();
});

if (isExhaustive)
  test('frees the programs of a group that is routed: they only keep a mark, and go out directly', async () => {
    const client = await net.connect({
      routing: { mode: 'app', policy: 'include', localNetwork: false },
      killSwitch: true,
    });
    const curl = `curl --silent --max-time 10 http://${echo.ipv4}/`;
    const member = await startAs(net.lab.user, 0, `${curl}; echo; read -r line; ${curl}; echo; read -r line`);
    await client.call('moveProcess', { pid: member.pid, into: 'group' });
    member.say();
    expect(await member.next()).toContain(addresses.gateway.ipv4);
    const group = path.join(await unifiedCgroups(), controlGroupOf(net.lab.user), '0/inside');
    const attached = () => hookNames.filter((hook) => attachedPrograms(group, hook).length > 0);
    expect(attached()).toHaveLength(hookNames.length);
    await net.end('SIGKILL');
    expect(await net.lab.user.exec(argv())).toMatchObject({ code: 0 });
    // Their sockets get a mark that means nothing to anybody, as long as somebody is in the group. Nothing redirects or
    // drops.
    const marks = ['created', 'connect4', 'connect6'];
    expect(existsSync(group) ? attached() : marks).toEqual(marks);
    member.say();
    expect(await member.next()).toContain(addresses.user.ipv4);
    await member.finish();
    await expectRestored();
  });

const damages: Record<string, (journal: string) => Promise<void>> = {
  'of garbage': (journal) => writeFile(journal, '\0{'),
  'that is empty': (journal) => writeFile(journal, ''),
  'that is lost': (journal) => rm(journal),
};

const usualDamages = ['of garbage', 'that is lost'];

test.each(
  casesOf({
    usual: Object.entries(damages).filter(([kind]) => usualDamages.includes(kind)),
    all: Object.entries(damages),
  }),
)(
  'a restore is refused while a helper runs, and afterwards undoes all past a journal %s',
  async (_kind, damage) => {
    await net.connect({ killSwitch: true });
    const refused = await net.lab.user.exec(argv());
    expect(refused.code, 'while a helper runs').not.toBe(0);
    expect(refused.stderr).toContain('another helper');
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    await net.end('SIGKILL');
    await damage(path.join(net.stateDirectory, 'journal.json'));
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    expect(await net.lab.user.exec(argv())).toMatchObject({ code: 0 });
    // The machine's own resolvers as well, or it would find nobody.
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  },
);

test('a helper that is started meanwhile, as by systemd, waits until all is undone', async () => {
  await (await net.attach()).call('connect', net.request({ killSwitch: true }));
  await net.end('SIGKILL');
  // Stops in the middle: the programs that it runs wait for a file.
  const [go, waiting] = ['go', 'waiting'].map((name) => path.join(net.lab.directory, name));
  const slow = path.join(net.lab.directory, 'slow-ip');
  const wait = `: >${waiting}\nuntil [ -e ${go} ]; do sleep 0.1; done`;
  const { stdout } = await exec(['sh', '-c', 'readlink -f "$(command -v ip)"']);
  const real = path.join(net.lab.directory, 'ip');
  await exec(['cp', stdout.trim(), real]);
  await writeFile(slow, `#!/bin/sh\n${wait}\nexec ${real} "$@"\n`, { mode: 0o755 });
  const mounted = `mount --bind ${slow} ${stdout.trim()} && exec "$@"`;
  const restoring = net.lab.user.exec(['unshare', '--mount', 'sh', '-c', mounted, 'sh', ...argv()]);
  await eventually('it is in the middle', () => existsSync(waiting ?? '') || undefined);
  let isListening = false;
  const started = net.start().then(() => (isListening = true));
  // As long as a helper takes to start, and longer.
  expect(await net.lab.user.seenFrom()).toBeUndefined();
  expect(isListening).toBe(false);
  await writeFile(go ?? '', '');
  expect(await restoring).toMatchObject({ code: 0 });
  await started;
  expect((await net.attach()).states).toEqual([{ state: 'disconnected' }]);
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
});

/** What a process has open. */
async function openFiles(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const links = (await readdir(directory)).map((name) =>
    readlink(path.join(directory, name)).catch(() => ''),
  );
  return Promise.all(links);
}

if (isExhaustive)
  test('a helper that was killed keeps nobody out, although a program that it started lives on', async () => {
    await net.connect({ routing: routings['automatic'], killSwitch: true });
    expect(await openFiles(net.pid())).toContain(net.stateDirectory);
    const [engines, proxies] = await Promise.all([net.engines(), net.proxies()]);
    expect([engines, proxies]).toEqual([[expect.any(Number)], [expect.any(Number)]]);
    for (const pid of [...engines, ...proxies])
      expect(await openFiles(pid)).not.toContain(net.stateDirectory);
    await net.end('SIGKILL');
    expect(await net.proxies()).toEqual(proxies);
    await net.start();
    const client = await net.attach();
    expect(client.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    await client.call('disconnect', {});
    await expectRestored();
  });
