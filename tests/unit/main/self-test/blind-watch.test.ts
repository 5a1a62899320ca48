import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Preferences } from '#shared/host/preferences.ts';
import { addresses, type AddressPair } from '../../../../src/main/self-test/addresses.ts';
import { checkNames, type CheckName } from '../../../../src/main/self-test/check-names.ts';
import { observeBy, type Bench, type Check } from '../../../../src/main/self-test/checks/bench.ts';
import { leakChecks, takeControls } from '../../../../src/main/self-test/checks/controls.ts';
import { modeChecks } from '../../../../src/main/self-test/checks/mode-checks.ts';
import { restoredCheck } from '../../../../src/main/self-test/checks/restored-check.ts';
import { NotChecked } from '../../../../src/main/self-test/checks/not-checked.ts';
import { runChecks } from '../../../../src/main/self-test/checks/run-checks.ts';
import type { Surroundings } from '../../../../src/main/self-test/checks/surroundings.ts';
import {
  connectCheck,
  namesCheck,
  versionCheck,
} from '../../../../src/main/self-test/checks/traffic-checks.ts';
import { serveHost } from '../../../../src/main/self-test/hosts/serve-host.ts';
import type { Verdict } from '../../../../src/main/self-test/verdict.ts';
import {
  ipv4Packet,
  ipv6Bytes,
  ipv6Packet,
  ipv6Text,
  protocol,
} from '../../../../src/main/self-test/packets/frame.ts';
import { watchRaw } from '../../../../src/main/self-test/windows/raw-watch.ts';

/** Checks with a capture that does not show everything, as a raw socket of Windows. */

type Version = keyof AddressPair;
const versionOf = (address: string): Version => (address.includes(':') ? 'ipv6' : 'ipv4');

const own: AddressPair = { ipv4: '192.0.2.7', ipv6: '2001:db8:7::7' };

/** What a segment or a datagram has in its first bytes. */
const withPort = (port: number, content = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(port, 2);
  return Buffer.concat([head, content]);
};

interface World {
  bench: Bench;
  /** What leaves: by default, what a helper lets out that makes no mistake. */
  isBlocked: (host: string) => boolean;
  send(host: string, kind: number, payload: Buffer): void;
}

/** A computer with both IP versions, of whose packets a capture shows some. */
function makeWorld(
  shown: readonly Version[],
  places: Partial<Surroundings['places']> = {},
  onPreferences: (wanted: Partial<Preferences>) => void = () => undefined,
): World {
  const wire: Buffer[] = [];
  const watch = watchRaw(
    { next: () => wire.shift(), close: () => undefined },
    () => new Set(Object.values(own)),
  );
  onTestFinished(() => watch.close());
  const send: World['send'] = (host, kind, payload) => {
    const version = versionOf(host);
    if (world.isBlocked(host) || !shown.includes(version)) return;
    const packet = version === 'ipv6' ? ipv6Packet : ipv4Packet;
    wire.push(packet({ source: own[version], destination: host, kind }, payload));
  };
  const socket = (host: string, kind: number, payload: Buffer) => ({
    send() {
      send(host, kind, payload);
      return true;
    },
    close: () => undefined,
  });
  const ping = (host: string) => (versionOf(host) === 'ipv6' ? protocol.icmpv6 : protocol.icmp);
  let asked = 0;
  const around: Surroundings = {
    places: {
      ...addresses,
      gateway: { addresses: [own.ipv4], port: 443 },
      router: addresses.router.ipv4,
      neighbours: [],
      ...places,
    },
    hasIpv6: true,
    hasIpv6Outside: true,
    answersOutside: false,
    isShared: true,
    isOnThisComputer: true,
    reachedOutside: undefined,
    farSide: {
      counts: () => {
        asked += 1;
        return Promise.resolve({ signIns: asked, tunnels: asked, packets: { tls: 0, dtls: asked } });
      },
      heard: (_place, token) => Promise.resolve([token]),
      away: (_first, meanwhile) => meanwhile(),
    },
    computer: {
      datagrams: ({ host, port, bytes }) => socket(host, protocol.udp, withPort(port, Buffer.from(bytes))),
      connections: ({ host, port }) => socket(host, protocol.tcp, withPort(port)),
      pings: ({ host }) => ({
        ...socket(host, ping(host), Buffer.from([versionOf(host) === 'ipv6' ? 128 : 8, 0])),
        isAnswered: () => true,
        isIn: (packet) => packet.protocol === ping(host),
      }),
      changeRoutes: () => undefined,
      changeAddresses: () => undefined,
      snapshot: () => ({}),
      engineProcesses: () => [],
    },
    watch,
    hostileRoutes: [{ prefix: '203.0.113.0/24', via: addresses.router.ipv4 }],
    askAsNeighbour: undefined,
    neighbourObservers: ['neighbour'],
    whyNoNeighbour: 'no-second-computer',
    whyNoHost: 'no-second-computer',
  };
  let state: unknown = { state: 'connected', transport: 'dtls' };
  const client = {
    preferences: {
      get: () => Promise.resolve({ addresses: {} }),
      set(wanted: Partial<Preferences>) {
        const mode = { global: 'global', address: 'ip' }[String(wanted.routing)];
        state = { state: 'connected', routing: { mode } };
        onPreferences(wanted);
        return Promise.resolve({ ok: true });
      },
    },
    tunnel: {
      connect: () => Promise.resolve({ ok: true }),
      disconnect() {
        state = { state: 'disconnected' };
        world.isBlocked = () => false;
        return Promise.resolve();
      },
    },
  };
  const world: World = {
    isBlocked: () => false,
    send,
    bench: {
      around,
      client: client as unknown as Bench['client'],
      state: () => state as ReturnType<Bench['state']>,
      until: (is) => Promise.resolve(is(state as Parameters<typeof is>[0])),
      observe: observeBy(watch),
      controls: new Map(),
      deadline: Infinity,
    },
  };
  return world;
}

/** The verdicts of some checks, once controls were taken. */
async function verdictsOf(
  world: World,
  make: (bench: Bench) => Partial<Record<CheckName, Check>>,
  isBlocked: World['isBlocked'] = () => true,
): Promise<Partial<Record<CheckName, Verdict>>> {
  await takeControls(world.bench);
  world.isBlocked = isBlocked;
  const made = make(world.bench);
  const none: Check = { observers: [], run: () => Promise.reject(new NotChecked('not-offered')) };
  const checks = Object.fromEntries(checkNames.map((name) => [name, made[name] ?? none]));
  const found: Partial<Record<CheckName, Verdict>> = {};
  await runChecks(checks as Record<CheckName, Check>, {
    engine: 'own',
    bench: world.bench,
    isFirst: true,
    tell: (message) => void (message.kind === 'verdict' && (found[message.verdict.check] = message.verdict)),
  });
  return found;
}

const short = (verdict: Verdict | undefined) => {
  if (!verdict) return undefined;
  const { outcome, why, observers, unseen = [] } = verdict;
  const parts = unseen.map((one) => `not ${one.ipVersion}: ${one.why}`);
  return [outcome, ...(why === undefined ? [] : [why]), ...observers, ...parts].join(', ');
};

const both: readonly Version[] = ['ipv4', 'ipv6'];

test('what a capture has shown of both IP versions is claimed of both', async () => {
  const found = await verdictsOf(makeWorld(both), leakChecks);
  for (const name of [
    'plain',
    'other-ip-version',
    'other-resolvers',
    'bound-sockets',
    'others-routes',
  ] as const)
    expect(short(found[name]), name).toBe('passed, uplink');
});

test('a capture that cannot show IPv6 still shows that nothing leaves by IPv4', async () => {
  const found = await verdictsOf(makeWorld(['ipv4']), leakChecks);
  expect(short(found.plain)).toBe('passed, uplink');
  // Whoever has seen nothing is no observer of it.
  expect(short(found['other-ip-version'])).toBe('not-checked, no-control');
  for (const name of ['other-resolvers', 'bound-sockets', 'others-routes'] as const)
    expect(short(found[name]), name).toBe('passed, uplink, not ipv6: no-control');
  expect(found['bound-sockets']?.unseen?.[0]?.details.join('\n')).toContain(`UDP to ${addresses.host.ipv6}`);
});

test('what leaves by IPv4 is found by a capture that cannot show IPv6', async () => {
  const found = await verdictsOf(makeWorld(['ipv4']), leakChecks, (host) => host !== addresses.host.ipv4);
  expect(short(found['bound-sockets'])).toBe('failed, uplink, not ipv6: no-control');
  expect(short(found['other-resolvers'])).toBe('passed, uplink, not ipv6: no-control');
});

test('a capture that shows nothing that is sent leaves all leaks unchecked, and blames nobody', async () => {
  const found = await verdictsOf(makeWorld([]), (bench) => ({
    ...leakChecks(bench),
    restored: restoredCheck(bench, {}, () => Promise.resolve()),
  }));
  for (const name of [
    'plain',
    'other-ip-version',
    'other-resolvers',
    'bound-sockets',
    'others-routes',
  ] as const)
    expect(short(found[name]), name).toBe('not-checked, no-control');
  expect(short(found.restored)).toBe('passed, system, not ipv4: no-control');
});

test('packets that do not leave after a disconnect are missed where a capture would show them', async () => {
  const world = makeWorld(['ipv4']);
  const found = await verdictsOf(world, (bench) => ({
    restored: {
      ...restoredCheck(bench, {}, () => Promise.resolve()),
      run() {
        const disconnect = bench.client.tunnel.disconnect.bind(bench.client.tunnel);
        Object.assign(bench.client.tunnel, {
          disconnect: () => disconnect().finally(() => (world.isBlocked = () => true)),
        });
        return restoredCheck(bench, {}, () => Promise.resolve()).run();
      },
    },
  }));
  expect(short(found.restored)).toBe('failed, system, uplink');
});

/** IPv4 addresses that every computer has, also in the notation of IPv6 (RFC 4291 §2.5.5.2). */
const pair = (): AddressPair => {
  const ipv4 = `127.78.${randomInt(256)}.${randomInt(1, 255)}`;
  return { ipv4, ipv6: ipv6Text(ipv6Bytes(`::ffff:${ipv4}`)) };
};

/** A host on the port that the checks ask, which answers while it is routed inside. */
async function serve(host: AddressPair, isInside: () => boolean): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isInside()) socket.end(`inside ${addresses.tunnel.ipv4}\n`);
    else socket.destroy();
  });
  server.listen(80, host.ipv4);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

/** Routing by address between two hosts; `outside`: what really leaves is sent again and again, as by TCP. */
async function byAddress(shown: readonly Version[], isWrong = false) {
  const [host, other] = [pair(), pair()];
  let inside: AddressPair | undefined;
  const world = makeWorld(shown, { host, other }, ({ addresses: listed }) => {
    inside = listed && (listed.policy === 'include' ? host : other);
  });
  await serve(host, () => inside !== other);
  await serve(other, () => inside !== host);
  const timer = setInterval(() => {
    if (!inside || isWrong) return;
    for (const to of Object.values(inside === host ? other : host))
      world.send(to, protocol.tcp, withPort(80));
  }, 20);
  onTestFinished(() => clearInterval(timer));
  const found = await verdictsOf(
    world,
    (bench) => ({ 'by-address': modeChecks(bench)['by-address'] }),
    () => false,
  );
  return short(found['by-address']);
}

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('routing by address is checked by IPv4 where a capture cannot show IPv6', async () => {
  expect(await Promise.all([byAddress(['ipv4']), byAddress(['ipv4'], true)])).toEqual([
    'passed, uplink, far-side, not ipv6: no-control',
    'failed, uplink, far-side, not ipv6: no-control',
  ]);
});

test.skipIf(!isRoot)(
  'where nobody can see what goes outside, routing by address is not checked',
  async () => {
    expect(await byAddress([])).toBe('not-checked, no-control, far-side');
  },
);

/** Addresses at which this computer answers as from behind the gateway, and what sees it as the tunnel's own. */
async function insidePlaces(): Promise<Partial<Surroundings['places']>> {
  const host = pair();
  const closing = await serveHost({ host: host.ipv4, port: 80, echoPort: 7, place: 'inside', heard: [] });
  onTestFinished(() => {
    for (const close of closing) close();
  });
  return { host, tunnel: { ipv4: '127.0.0.1', ipv6: '127.0.0.1' } };
}

test.skipIf(!isRoot)(
  'only what could have seen packets in clear is an observer of an IP version',
  async () => {
    const places = await insidePlaces();
    const ofVersions = async (shown: readonly Version[], hasIpv6Outside = true) => {
      const world = makeWorld(shown, places);
      Object.assign(world.bench.around, { hasIpv6Outside });
      const found = await verdictsOf(world, (bench) => ({
        ipv4: versionCheck(bench, 'ipv4'),
        ipv6: versionCheck(bench, 'ipv6'),
      }));
      return [short(found.ipv4), short(found.ipv6)];
    };
    const seen = 'passed, uplink, far-side';
    const [all, one, none, noWayOut] = await Promise.all([
      ofVersions(both),
      ofVersions(['ipv4']),
      ofVersions([]),
      ofVersions(both, false),
    ]);
    expect(all).toEqual([seen, seen]);
    expect(one).toEqual([seen, 'passed, far-side, not ipv6: no-control']);
    expect(none).toEqual([
      'passed, far-side, not ipv4: no-control',
      'passed, far-side, not ipv6: no-control',
    ]);
    // Where IPv6 has no way out, nothing of it can leave.
    expect(noWayOut).toEqual([seen, 'passed, far-side']);
  },
);

test.skipIf(!isRoot)(
  'packets to the gateway are missed only by a capture that would have shown them',
  async () => {
    const places = await insidePlaces();
    const tunnel = async (shown: readonly Version[], sent: readonly number[]) => {
      const world = makeWorld(shown, { ...places, gateway: { addresses: ['198.51.100.2'], port: 443 } });
      Object.assign(world.bench.around, { isOnThisComputer: false });
      const timer = setInterval(() => {
        for (const kind of sent) world.send('198.51.100.2', kind, withPort(443));
      }, 20);
      const found = await verdictsOf(
        world,
        (bench) => ({ tunnel: connectCheck(bench, '') }),
        () => false,
      );
      clearInterval(timer);
      return short(found.tunnel);
    };
    const { tcp, udp } = protocol;
    expect(
      await Promise.all([tunnel(both, [tcp, udp]), tunnel(['ipv4'], [tcp]), tunnel([], [tcp, udp])]),
    ).toEqual([
      'passed, uplink, far-side',
      'failed, uplink, far-side',
      'passed, far-side, not ipv4: no-control',
    ]);
  },
);

test('a capture that cannot show look-ups is no observer of them', async () => {
  const found = await verdictsOf(makeWorld([]), (bench) => ({ names: namesCheck(bench) }));
  expect(short(found.names)).toBe('failed, far-side, not ipv4: no-control, not ipv6: no-control');
});
