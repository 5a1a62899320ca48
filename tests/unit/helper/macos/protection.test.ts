import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RoutingLost } from '../../../../helper/system/ports/system-change-failed.ts';
import { readAnchor } from '../../../lab/darwin/model/filter-language.ts';
import { resolversXml, services, wifi } from '../../../lab/darwin/model/machine.ts';
import { isExhaustive } from '../../../lab/runs/thoroughness.ts';
import { users } from './support/modelled-helper.ts';
import { interferences, newLease } from './support/interference.ts';
import {
  addOldState,
  changeRouting,
  configure,
  connect,
  connectionOf,
  createScene,
  gateways,
  interfere,
  moveTo,
  release,
  routingNames,
  routings,
  wrongWays,
  type Scene,
} from './support/scene.ts';

describe.each(routingNames)('%s', (name) => {
  test('nothing that belongs in the tunnel leaves outside, and the rest is as before', async () => {
    const scene = createScene();
    const before = scene.model.snapshot();
    await connect(scene, name);
    expect(scene.leaks).toEqual([]);
    expect(wrongWays(scene)).toEqual([]);
    expect(await scene.helper.adapter.verify()).toBe(true);
    await release(scene);
    expect(scene.model.snapshot()).toEqual(before);
    expect(scene.disk.entry).toBeUndefined();
  });

  test('the kill switch keeps traffic in through a crash', async () => {
    const scene = createScene();
    const before = scene.model.snapshot();
    await connect(scene, name);
    scene.restart();
    scene.look('the crash');
    const recovery = await scene.helper.adapter.recover();
    expect(recovery).toMatchObject({ kind: 'connection', blocked: true });
    scene.look('recovery');
    expect(scene.leaks).toEqual([]);
    await release(scene);
    expect(scene.model.snapshot()).toEqual(before);
  });

  test('connections that the packet filter already knows end', async () => {
    const scene = createScene();
    addOldState(scene);
    await connect(scene, name);
    expect(scene.leaks).toEqual([]);
    const isStillThere = scene.model.machine.states.some(({ device }) => device === undefined);
    expect(isStillThere).toBe(name === 'only listed addresses' || name === 'proxy');
    await release(scene);
    // Somebody else has switched it on.
    expect(scene.model.machine.isFilterOn).toBe(true);
  });

  test('after a crash at any call, the next helper leaves the system as it was', async () => {
    const whole = createScene();
    let calls = 0;
    whole.model.onChange.before = () => {
      calls += 1;
    };
    await connect(whole, name);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: calls }), fc.boolean(), async (survived, killSwitch) => {
        const scene = createScene();
        const before = scene.model.snapshot();
        let left = survived;
        scene.model.onChange.before = () => {
          left -= 1;
          if (left >= 0) return;
          scene.helper.process.end();
          throw new Error('the helper was killed');
        };
        await connect(scene, name, killSwitch).catch(() => undefined);
        scene.model.onChange.before = () => undefined;
        // What was promised still holds with the kill switch alone.
        if (!killSwitch) scene.promises = [];
        scene.restart();
        scene.look('the crash');
        const recovery = await scene.helper.adapter.recover();
        if (recovery.kind === 'connection') {
          expect(recovery.blocked).toBe(true);
          scene.promises = [{ routing: routings[name], gateway: gateways[0] }];
          scene.look('recovery');
        }
        expect(scene.leaks).toEqual([]);
        await release(scene);
        expect(scene.model.snapshot()).toEqual(before);
      }),
      {
        numRuns: isExhaustive ? 100 : 6,
        examples: [
          [0, true],
          [calls, false],
        ],
      },
    );
  });
});

test.each(Object.keys(interferences))('what the helper has set is restored when %s', async (which) => {
  const scene = createScene();
  const before = scene.model.snapshot();
  await connect(scene, 'global');
  expect(await interfere(scene, interferences[which] ?? (() => undefined))).toBe(true);
  expect(scene.leaks).toEqual([]);
  expect(wrongWays(scene)).toEqual([]);
  await release(scene);
  expect(scene.model.snapshot()).toEqual(before);
});

test('a device that has ended is made again, and rules and routes follow its new name', async () => {
  const scene = createScene();
  const before = scene.model.snapshot();
  await connect(scene, 'global');
  let isRecreated = false;
  scene.helper.adapter.watchDevice(() => {
    isRecreated = true;
  });
  // Meanwhile the routes that refuse are left.
  scene.model.endDevice();
  scene.look('the end of the device');
  expect(await scene.helper.adapter.verify()).toBe(true);
  expect(isRecreated).toBe(true);
  expect(await scene.helper.adapter.verify()).toBe(true);
  scene.look('the new device');
  expect(scene.leaks).toEqual([]);
  expect(wrongWays(scene)).toEqual([]);
  await release(scene);
  expect(scene.model.snapshot()).toEqual(before);
});

test('a service without resolvers gets some while it leads out, and has none afterwards', async () => {
  const scene = createScene();
  const { store } = scene.model.machine;
  for (const key of [services.state, services.setup]) store.delete(key);
  await connect(scene, 'global');
  expect(store.get(services.state)).toContain('<string>10.66.0.1</string>');
  await release(scene);
  expect([...store.keys()].sort()).toEqual(['State:/Network/Global/IPv4', services.other]);
});

test('while traffic is blocked, the proxy of a captive portal reaches pages and the machine’s resolvers, and nobody else does', async () => {
  const proxyPort = 50_080;
  let isStopped = false;
  const scene = createScene({
    alterPorts: (ports) => ({
      ...ports,
      portals: {
        isSupported: () => true,
        start: () => Promise.resolve({ port: proxyPort, stop: () => void (isStopped = true) }),
      },
    }),
  });
  const { adapter } = scene.helper;
  await connect(scene, 'global');
  await adapter.release({ keepBlocking: true });
  // What ended with the device is put back.
  await adapter.verify();
  const blocked = scene.model.snapshot();
  const outcome = (user: number, destination: string, destinationPort: number, udp = false) =>
    scene.model.send({
      source: destination.startsWith('127.') ? '127.0.0.1' : wifi.address,
      sourcePort: 50_000,
      destination,
      destinationPort,
      protocol: udp ? 'udp' : 'tcp',
      user,
    });
  const { engine, person, proxy } = users;
  const page = '203.0.113.80';
  expect(outcome(engine, page, 80)).toBe('refused');

  // Others' packets are looked at after each call, as ever; the portal's own are not promised any more.
  const isOthers = (leak: string) => !leak.includes(` of ${engine},`);
  expect(await adapter.openPortal({ client: String(person), forMs: 60_000, isWanted: () => true })).toEqual({
    proxyPort,
  });
  scene.look('the portal is open');
  expect(scene.leaks.filter(isOthers)).toEqual([]);
  expect(outcome(engine, page, 80)).toEqual({ by: 'en0' });
  expect(outcome(engine, page, 8443)).toEqual({ by: 'en0' });
  expect(outcome(engine, '198.51.100.53', 53, true)).toEqual({ by: 'en0' });
  expect(outcome(engine, page, 25)).toBe('refused');
  expect(outcome(engine, '8.8.8.8', 53, true)).toBe('refused');
  expect(outcome(person, page, 80)).toBe('refused');
  expect(outcome(person, '198.51.100.53', 53, true)).toBe('refused');
  // Its own port is for who has asked for it, and it opens nothing on this machine.
  expect(outcome(person, '127.0.0.1', proxyPort)).toEqual({ by: 'lo0' });
  expect(outcome(proxy, '127.0.0.1', proxyPort)).toBe('refused');
  expect(outcome(engine, '127.0.0.1', 631)).toBe('refused');
  expect(await adapter.verify()).toBe(true);

  await adapter.closePortal();
  expect(isStopped).toBe(true);
  expect(outcome(engine, page, 80)).toBe('refused');
  expect(scene.model.snapshot()).toEqual(blocked);
  await release(scene);
});

test('resolvers that somebody else has set meanwhile stay theirs', async () => {
  const scene = createScene();
  const { store } = scene.model.machine;
  await connect(scene, 'global');
  store.set(services.setup, resolversXml(['203.0.113.53']));
  store.delete(services.other);
  await release(scene);
  expect(store.get(services.setup)).toBe(resolversXml(['203.0.113.53']));
  expect(store.has(services.other)).toBe(false);
  expect(store.get(services.state)).toBe(resolversXml(['192.168.1.1']));
});

test('another program’s route to the same prefix is an error that names it, and stays', async () => {
  const scene = createScene();
  const { routes } = scene.model.machine;
  routes.push({
    prefix: '10.0.0.0/8',
    way: { kind: 'router', address: '192.168.1.9' },
    scope: undefined,
    isOurs: false,
    interface: 4,
  });
  const before = scene.model.snapshot();
  await expect(
    scene.helper.adapter.apply(connectionOf(routings['only listed addresses'])),
  ).rejects.toMatchObject({ cause: { message: expect.stringContaining('10.0.0.0/8') as string } });
  await release(scene);
  expect(scene.model.snapshot()).toEqual(before);
});

test('without the packet filter, routes refuse everything that would leave, and the loss is reported', async () => {
  const scene = createScene();
  await connect(scene, 'global');
  const told: boolean[] = [];
  scene.helper.adapter.watchProtection((inForce) => told.push(inForce));
  const { promises } = scene;
  scene.promises = [];
  scene.model.machine.mainRules = ['pass all no state'];
  expect(await scene.helper.adapter.verify()).toBe(false);
  await expect.poll(() => told).toContain(false);
  await delay(0);
  scene.promises = promises;
  const isPlain = (leak: string) => leak.endsWith('bound to nothing');
  scene.look('the loss');
  expect(scene.leaks.filter(isPlain)).toEqual(
    // Only what is on the link, which no route can refuse.
    scene.leaks.filter((leak) => isPlain(leak) && / to (?:192\.168\.1\.|2001:db8:1:)/.test(leak)),
  );
});

test('another anchor that lets everything through before ours is asked is a loss, until it is gone', async () => {
  const scene = createScene();
  await connect(scene, 'global');
  const { anchors } = scene.model.machine;
  const elsewhere = () => {
    scene.look('the loss');
    return scene.leaks.splice(0).filter((leak) => !/ to (?:192\.168\.1\.|2001:db8:1:)/.test(leak));
  };
  anchors.set('com.apple/mehserve', readAnchor('pass out quick all no state'));
  expect(elsewhere()).not.toEqual([]);
  const { promises } = scene;
  scene.promises = [];
  expect(await scene.helper.adapter.verify()).toBe(false);
  await delay(0);
  scene.promises = promises;
  // What is bound to a device, no route can refuse.
  expect(elsewhere().filter((leak) => leak.endsWith('bound to nothing'))).toEqual([]);
  anchors.delete('com.apple/mehserve');
  expect(await scene.helper.adapter.verify()).toBe(true);
});

test.each([
  ['com.apple/zz', 'pass out quick all no state', 'is asked later'],
  [
    'com.apple/200.AirDrop/Bonjour',
    'pass out quick on p2p0 all no state',
    'of a device that only neighbours use',
  ],
  ['com.apple/250.ApplicationFirewall', 'block drop out quick inet proto icmp all', 'refuses'],
  ['com.apple/mehserve', 'pass out all no state', 'is not the last word'],
])('%s with “%s”, which %s, is no loss', async (name, rule) => {
  const scene = createScene();
  await connect(scene, 'global');
  scene.model.machine.anchors.set(name, readAnchor(rule));
  scene.look('another anchor');
  expect(scene.leaks).toEqual([]);
  expect(await scene.helper.adapter.verify()).toBe(true);
});

test('every network service asks the tunnel’s resolvers, and has its own again afterwards', async () => {
  const scene = createScene();
  const before = new Map(scene.model.machine.store);
  await connect(scene, 'global');
  for (const key of Object.values(services))
    expect(scene.model.machine.store.get(key)).toContain('<string>10.66.0.1</string>');
  await release(scene);
  expect(scene.model.machine.store).toEqual(before);
});

test('resolvers of a new lease come back afterwards instead of the old ones', async () => {
  const scene = createScene();
  await connect(scene, 'global');
  const stop = scene.helper.adapter.watchUplink(
    () => [],
    () => undefined,
  );
  newLease(scene.model.machine);
  const { ports } = scene.helper;
  expect(await ports.dns.verify()).toBe('changed');
  await configure(scene, 0);
  expect(await ports.dns.verify()).toBe('in-force');
  stop();
  await release(scene);
  expect(scene.model.machine.store.get(services.state)).toBe(resolversXml(['192.168.1.254']));
});

test('a service that loses its resolvers while it leads out has the tunnel’s again, and its own afterwards', async () => {
  const scene = createScene();
  const before = scene.model.snapshot();
  const { store } = scene.model.machine;
  await connect(scene, 'global');
  // As a lease that names none does.
  store.delete(services.state);
  const { ports } = scene.helper;
  expect(await ports.dns.verify()).toBe('changed');
  await configure(scene, 0);
  expect(await ports.dns.verify()).toBe('in-force');
  expect(store.get(services.state)).toContain('<string>10.66.0.1</string>');
  await release(scene);
  expect(scene.model.snapshot()).toEqual(before);
});

test('a service that has gone gets no resolvers, also not afterwards', async () => {
  const scene = createScene();
  const { store } = scene.model.machine;
  await connect(scene, 'global');
  store.delete(services.other);
  const { ports } = scene.helper;
  await configure(scene, 1);
  expect(await ports.dns.verify()).toBe('in-force');
  expect(store.has(services.other)).toBe(false);
  await release(scene);
  expect(store.has(services.other)).toBe(false);
});

test('the proxy serves its owner alone, and opens no connection within the machine', async () => {
  const scene = createScene();
  await connect(scene, 'proxy');
  const within = (user: number, ports: { sourcePort: number; destinationPort: number }, isAnswer = false) =>
    scene.model.send({
      source: '127.0.0.1',
      destination: '127.0.0.1',
      protocol: 'tcp',
      user,
      isAnswer,
      ...ports,
    });
  const [asked, answer] = [
    { sourcePort: 50_000, destinationPort: 8_118 },
    { sourcePort: 8_118, destinationPort: 50_000 },
  ];
  const allowed = { by: 'lo0' };
  expect(within(users.person, asked)).toEqual(allowed);
  expect(within(users.proxy, answer, true)).toEqual(allowed);
  // Somebody else, in both roles.
  expect(within(502, asked)).toBe('refused');
  expect(within(502, answer, true)).toBe('refused');
  const other = { sourcePort: 50_000, destinationPort: 631 };
  expect(within(users.person, other)).toEqual(allowed);
  expect(within(users.proxy, other)).toBe('refused');
  await release(scene);
});

test('programs cannot be routed by group', async () => {
  const scene = createScene();
  const routing = { mode: 'app', policy: 'include', localNetwork: false } as const;
  await expect(scene.helper.adapter.apply(connectionOf(routing))).rejects.toThrow();
  await release(scene);
});

/** Has the n-th call that changes something fail once; returns how many there were. */
function failing(scene: Scene, which: number): () => number {
  let count = 0;
  scene.model.onChange.before = (call) => {
    count += 1;
    if (count === which) throw new Error(`${call} fails`);
  };
  return () => {
    scene.model.onChange.before = () => undefined;
    return count;
  };
}

test.each(routingNames)('%s: a call that fails once leaves nothing open and nothing behind', async (name) => {
  const whole = createScene();
  const counted = failing(whole, 0);
  await connect(whole, name);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: counted() }), async (which) => {
      const scene = createScene();
      const before = scene.model.snapshot();
      const end = failing(scene, which);
      const failure = await connect(scene, name).catch((error: unknown) => error);
      end();
      scene.look('the failure');
      expect(scene.leaks).toEqual([]);
      if (failure === undefined) expect(wrongWays(scene)).toEqual([]);
      await release(scene);
      expect(scene.model.snapshot()).toEqual(before);
    }),
    { numRuns: isExhaustive ? 100 : 3 },
  );
});

test('a call that fails while the mode changes leaves the earlier mode or the new one in force', async () => {
  const [one, other] = ['all but listed addresses', 'global'] as const;
  const whole = createScene();
  await connect(whole, one);
  const counted = failing(whole, 0);
  await changeRouting(whole, other);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: counted() }), fc.boolean(), async (which, isBack) => {
      const scene = createScene();
      const before = scene.model.snapshot();
      const [first, second] = isBack ? [other, one] : [one, other];
      await connect(scene, first);
      const end = failing(scene, which);
      const failure = await changeRouting(scene, second).catch((error: unknown) => error);
      end();
      const gateway = gateways[0];
      if (failure instanceof RoutingLost)
        scene.promises = [
          { routing: routings[first], gateway },
          { routing: routings[second], gateway },
        ];
      else scene.promises = [{ routing: routings[failure === undefined ? second : first], gateway }];
      scene.look('the failure');
      expect(scene.leaks).toEqual([]);
      if (!(failure instanceof RoutingLost)) {
        expect(await scene.helper.adapter.verify()).toBe(true);
        expect(wrongWays(scene)).toEqual([]);
      }
      await release(scene);
      expect(scene.model.snapshot()).toEqual(before);
    }),
    { numRuns: isExhaustive ? 100 : 4 },
  );
});

/** What can happen to a connection, in any order. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('route' as const), to: fc.constantFrom(...routingNames) }),
  fc.record({ kind: fc.constant('configure' as const), which: fc.constantFrom(0 as const, 1 as const) }),
  fc.record({ kind: fc.constant('move' as const), to: fc.constantFrom(...gateways) }),
  fc.record({
    kind: fc.constant('interfere' as const),
    how: fc.constantFrom(...Object.keys(interferences)),
  }),
  fc.record({ kind: fc.constant('again' as const), as: fc.constantFrom(...routingNames) }),
);

test('whatever happens to a connection, in any order: nothing leaks, and everything is undone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routingNames),
      fc.array(step, { maxLength: 5 }),
      async (first, steps) => {
        const scene = createScene();
        const before = scene.model.snapshot();
        await connect(scene, first);
        for (const one of steps) {
          switch (one.kind) {
            case 'route':
              await changeRouting(scene, one.to);
              break;
            case 'configure':
              await configure(scene, one.which);
              break;
            case 'move':
              await moveTo(scene, one.to);
              break;
            case 'interfere':
              expect(await interfere(scene, interferences[one.how] ?? (() => undefined))).toBe(true);
              break;
            case 'again':
              await scene.helper.adapter.release({ keepBlocking: true });
              scene.look('a release that keeps blocking');
              scene.promises = [];
              await connect(scene, one.as);
              break;
            default:
              one satisfies never;
          }
          expect(scene.leaks).toEqual([]);
          expect(wrongWays(scene)).toEqual([]);
        }
        await release(scene);
        expect(scene.model.snapshot()).toEqual(before);
      },
    ),
    { numRuns: isExhaustive ? 150 : 10 },
  );
});
