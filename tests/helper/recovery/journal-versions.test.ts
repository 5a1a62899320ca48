import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

const connection = (killSwitch: boolean) => ({
  gateway: { host: names.gateway, port: 443 },
  address: addresses.gateway.ipv4,
  routing: { mode: 'global', localNetwork: false },
  killSwitch,
});

/** What an earlier helper has written over resolv.conf, and how it is put back. */
const replacedResolvConf = { marker: '# set by an earlier helper', text: 'nameserver 192.0.2.99' };
const resolvConfStep = (original: string) => ({
  kind: 'resolv-conf',
  path: '/etc/resolv.conf',
  original: Buffer.from(original).toString('base64'),
  marker: replacedResolvConf.marker,
});

/** A journal in every shape that a helper has ever written; the echo belongs in the tunnel by all of them. */
const journals: Record<string, (killSwitch: boolean, resolvConf: string) => object> = {
  'version 1, device and rules apart': (killSwitch) => ({
    version: 1,
    connection: { ...connection(killSwitch), clientUids: [0] },
    steps: [{ kind: 'packet-filter' }, { kind: 'device' }, { kind: 'policy-routing' }],
  }),
  'version 1, device and rules in one': (killSwitch) => ({
    version: 1,
    connection: { ...connection(killSwitch), clientUids: [0] },
    steps: [{ kind: 'packet-filter' }, { kind: 'device-and-routing' }],
  }),
  'version 1, with resolvers set': (killSwitch, original) => ({
    version: 1,
    connection: { ...connection(killSwitch), clientUids: [0, 1000] },
    steps: [{ kind: 'packet-filter' }, { kind: 'device-and-routing' }, resolvConfStep(original)],
  }),
  'version 2': (killSwitch) => ({
    version: 2,
    connection: { ...connection(killSwitch), owner: '0' },
    steps: [{ kind: 'packet-filter' }, { kind: 'routing' }, { kind: 'device' }],
  }),
  'version 2, with resolvers set and others to fall back to': (killSwitch, original) => ({
    version: 2,
    connection: { ...connection(killSwitch), owner: '0', fallbackResolvers: [addresses.inside.ipv4] },
    steps: [
      { kind: 'packet-filter' },
      { kind: 'routing' },
      { kind: 'device' },
      resolvConfStep(original),
      { kind: 'resolvconf-record', record: 'tun.wm0' },
    ],
  }),
  'version 2, with the list of mode ip in it': (killSwitch) => ({
    version: 2,
    connection: {
      ...connection(killSwitch),
      owner: '0',
      routing: {
        mode: 'ip',
        policy: 'include',
        routeIps: [`${addresses.echo.ipv4}/32`, `${addresses.echo.ipv6}/128`],
        localNetwork: false,
      },
    },
    steps: [{ kind: 'packet-filter' }, { kind: 'routing' }, { kind: 'device' }],
  }),
  'version 2, of a server that has named its networks': (killSwitch) => ({
    version: 2,
    connection: {
      ...connection(killSwitch),
      owner: '0',
      split: true,
      pushedRoutes: { includes: [`${addresses.echo.ipv4}/32`], excludes: [] },
    },
    steps: [{ kind: 'packet-filter' }, { kind: 'routing' }, { kind: 'device' }],
  }),
};

/** What such a helper had set up when it was killed, and its journal; another starts. */
async function restartWith(journal: string): Promise<void> {
  await net.end('SIGKILL');
  await mkdir(net.stateDirectory, { recursive: true });
  await writeFile(path.join(net.stateDirectory, 'journal.json'), journal);
  const left = [
    'nft add table inet waymaker',
    ...['-4', '-6'].flatMap((family) => [
      `ip ${family} rule add priority 5185 protocol 87 lookup 5187`,
      `ip ${family} route add unreachable default table 5187 metric 4294967295 protocol 87`,
    ]),
    'ip tuntap add dev wm0 mode tun',
  ];
  await net.lab.user.run(['sh', '-c', left.join(' && ')]);
  await net.start();
}

/** The journal, with everything in place that it tells of. */
async function leave(
  journal: (killSwitch: boolean, resolvConf: string) => object,
  killSwitch: boolean,
): Promise<string> {
  const { resolvConf } = net.lab.user;
  const written = journal(killSwitch, await readFile(resolvConf, 'utf8'));
  if (JSON.stringify(written).includes(replacedResolvConf.marker))
    await writeFile(resolvConf, `${replacedResolvConf.marker}\n${replacedResolvConf.text}\n`);
  return JSON.stringify(written);
}

/** Those of which the blocking differs. */
const blocking: readonly string[] = casesOf({
  usual: ['version 1, device and rules apart'],
  all: Object.keys(journals),
});

const shapes = Object.entries(journals);
/** With resolvers and without, of each version, and the latest shape. */
const undone = ['version 1, with resolvers set', 'version 2, of a server that has named its networks'];

describe.each(
  casesOf({ usual: shapes.filter(([name]) => [...undone, ...blocking].includes(name)), all: shapes }),
)('a journal of %s', (name, journal) => {
  if (isExhaustive || undone.includes(name))
    test('is undone', async () => {
      await restartWith(await leave(journal, false));
      expect((await net.attach()).states).toMatchObject([{ state: 'disconnected' }]);
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
      expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    });

  if (!blocking.includes(name)) return;
  test('with the kill switch on keeps traffic blocked until a disconnect', async () => {
    await restartWith(await leave(journal, true));
    const client = await net.attach();
    expect(client.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });
});

const whole = JSON.stringify(journals['version 2']?.(true, ''));

const unreadable: [string, string][] = [
  ['of a version that does not exist yet', JSON.stringify({ version: 3, steps: [] })],
  ['that was cut off', whole.slice(0, -20)],
  [
    'that an earlier helper could not read either',
    JSON.stringify({ version: 2, connection: null, steps: [{ kind: 'packet-filter' }, { kind: 'routing' }] }),
  ],
];
// The latter as what was cut off.
const all: typeof unreadable = [...unreadable, ['of garbage', '\0\xff{'], ['that is empty', '']];

describe.each(casesOf({ usual: unreadable.slice(0, 1), all }))('a journal %s', (_name, journal) => {
  test('leaves traffic blocked, over restarts too, until the user opens it', async () => {
    await restartWith(journal);
    const client = await net.attach();
    const blocked = { state: 'disconnected', reason: 'journal-unreadable', blocked: true };
    expect(client.states).toEqual([blocked]);
    {
      await using stream = await net.lab.user.probe.stream('unreadable');
      const capture = await net.lab.capture();
      expect(await net.lab.user.seenFrom()).toBeUndefined();
      await net.end('SIGKILL');
      await net.start();
      expect((await net.attach()).states).toEqual([blocked]);
      expect(findLeaks(await capture.stop(), 'unreadable')).toEqual([]);
      void stream;
    }
    const next = await net.attach();
    const capture = await net.lab.capture();
    await next.call('disconnect', {});
    expect(next.states.at(-1)).toEqual({ state: 'disconnected' });
    await using stream = await net.lab.user.probe.stream('opened');
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    expect(findLeaks(await capture.stop(), 'opened').length).toBeGreaterThan(0);
    void stream;
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });
});

if (isExhaustive)
  test('a user who is blocked by an unreadable journal may connect at once', async () => {
    await restartWith('');
    const client = await net.attach();
    await client.call('connect', net.request({ killSwitch: true }));
    await client.call('provideSession', { session: await net.signIn() });
    await client.until('connected');
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  });
