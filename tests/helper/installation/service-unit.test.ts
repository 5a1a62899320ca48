import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EngineKind } from '#shared/helper/protocol.ts';
import { linuxPlatform } from '../../../helper/linux/linux-platform.ts';
import { parseOptions } from '../../../helper/options.ts';
import { addresses } from '../../lab/network/addresses.ts';
import {
  controlGroupOf,
  createMemoryGroup,
  removeCgroup,
  unifiedCgroups,
} from '../../lab/machine/control-groups.ts';
import { eventually, exec } from '../../lab/runs/process.ts';
import { attachAs } from '../support/callers/attach-as.ts';
import { runInGroup } from '../support/programs/grouped-process.ts';
import { engines } from '../support/engines.ts';
import { createHelperLab } from '../support/helper-lab.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

const { options } = linuxPlatform;

const resources = path.resolve(import.meta.dirname, '../../../resources/linux');

/**
 * The exposure level in tenths, as `systemd-analyze security` scores it: 0 to 100, less is better. For a unit that
 * starts before sysinit.target it leaves out, as not appropriate, what ours has nevertheless: ProtectSystem,
 * ProtectHome, PrivateTmp.
 */
const maxExposure = '33';

let directory: string;
let unit: string;
let unitFile: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-unit-'));
  unit = await readFile(path.join(resources, 'waymaker-helper.service'), 'utf8');
  unitFile = path.join(directory, 'waymaker-helper.service');
  // The app is not installed here, and systemd looks whether the program exists.
  await writeFile(unitFile, unit.replace('/usr/lib/waymaker/node ', '/bin/true '));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

test('systemd understands every line of the unit', async () => {
  const { code, stdout, stderr } = await exec(['systemd-analyze', 'verify', '--man=no', unitFile]);
  const aboutUs = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('waymaker'));
  expect({ code, aboutUs }).toEqual({ code: 0, aboutUs: [] });
});

test('the unit gives away no more than it needs', async () => {
  const { code, stdout } = await exec([
    'systemd-analyze',
    'security',
    '--offline=true',
    `--threshold=${maxExposure}`,
    unitFile,
  ]);
  expect(code, stdout).toBe(0);
});

test('the unit’s command line is one that the helper takes, with the helper’s own defaults', () => {
  // After the program, what is Node's, and the script.
  const words = /^ExecStart=\S+ --max-semi-space-size=\d+ \S+ (.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
  expect(words).not.toEqual([]);
  expect(parseOptions(words, options)).toEqual(parseOptions([], options));
});

test('the accounts that the helper expects are the ones that are made', async () => {
  const accounts = await readFile(path.join(resources, 'waymaker.sysusers.conf'), 'utf8');
  expect(accounts).toMatch(new RegExp(`^u ${parseOptions([], options).ofSystem['engine-user']} `, 'm'));
  expect(accounts).toMatch(new RegExp(`^g ${parseOptions([], options).allowedGroup} `, 'm'));
});

const enginesHere = casesOf<EngineKind>({ usual: ['own'], all: engines });

test.each(enginesHere)(
  'the capabilities that the unit leaves are enough for a whole connection with %s',
  async (engine) => {
    const names = /^CapabilityBoundingSet=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
    const kept = ['-all', ...names.map((name) => name.replace('CAP_', '+').toLowerCase())].join(',');
    await using net = await createHelperLab({ engine });
    const uid = 64_931;
    const before = await net.lab.user.snapshot();
    // As the unit has it made.
    await mkdir(path.join(await unifiedCgroups(), controlGroupOf(net.lab.user)));
    await net.start({
      args: ['--allow-user', String(uid)],
      under: ['setpriv', `--bounding-set=${kept}`, `--inh-caps=-all`, '--no-new-privs', '--'],
    });
    const client = await attachAs(net, uid);
    await client.call('connect', net.request({ session: await net.signIn() }));
    await client.until('connected');
    expect(await net.lab.user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    const pids = await net.engines();
    expect(pids).toHaveLength(1);
    const status = await readFile(`/proc/${pids[0]}/status`, 'utf8');
    const none = '0000000000000000';
    // Our own becomes that user by itself, and nothing that is left to it there can be had with NoNewPrivs.
    const bounding = engine === 'own' ? [] : ['CapBnd'];
    const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb', ...bounding];
    for (const set of sets) expect(status).toContain(`${set}:\t${none}`);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Groups:\t\s*$/m);
    expect(status).not.toMatch(/^Uid:\t0/m);
    await client.call('setRouting', { routing: { mode: 'pac', routeDomains: [], blockedDomains: [] } });
    expect(proxyOf(client).address).toMatch(/^127\.0\.0\.1:/);
    await client.call('setRouting', { routing: { mode: 'app', policy: 'include', localNetwork: false } });
    const script = `curl --silent --noproxy '*' http://${addresses.echo.ipv4}/`;
    const { stdout } = await runInGroup(net.lab.user, { uid, client }, script);
    expect(stdout).toContain(`"address":"${addresses.gateway.ipv4}"`);
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(before);
  },
);

if (isExhaustive)
  test('whoever needs more memory than the unit allows is ended alone, and the tunnel stays', async () => {
    const gigabytes = Number(/^MemoryMax=(\d+)G$/m.exec(unit)?.[1]);
    expect(unit).toMatch(/^OOMPolicy=continue$/m);
    const net = await createHelperLab({ engine: 'own' });
    const group = await createMemoryGroup(`${controlGroupOf(net.lab.user)}-memory`, gigabytes * 2 ** 30);
    try {
      const inGroup = ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];
      await net.start({ under: inGroup });
      await net.connect({ killSwitch: true });
      const [pids, helper] = [await net.engines(), net.pid()];
      const members = (await readFile(path.join(group, 'cgroup.procs'), 'utf8')).split('\n').map(Number);
      expect(members).toEqual(expect.arrayContaining([helper, ...pids]));
      // It keeps all that it reads, as a line without an end.
      const hungry = await net.lab.user.exec([
        'sh',
        '-c',
        'sh -c "$@"; echo $?',
        'sh',
        ['echo $$ >', `${group}/cgroup.procs`, '; exec tail /dev/zero'].join(' '),
      ]);
      expect(hungry.stdout.trim()).toBe('137');
      expect(await net.engines()).toEqual(pids);
      expect(net.pid()).toBe(helper);
      expect(await net.lab.user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    } finally {
      await net[Symbol.asyncDispose]();
      await eventually('the group is empty', () => removeCgroup(group));
    }
  });
