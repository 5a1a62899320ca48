import { expect, onTestFinished, test, vi } from 'vitest';
import type { FilterRules } from '../../../../helper/system/ports/packet-filter-port.ts';
import type { Ports } from '../../../../helper/system/ports/ports.ts';
import type { Probe } from '../../../lab/darwin/model/packet-way.ts';
import { wifi } from '../../../lab/darwin/model/machine.ts';
import { configurations, connectionOf, createScene, release, routings } from './support/scene.ts';
import { users } from './support/modelled-helper.ts';

/** A gateway names the networks that go through the tunnel, and others when it is back. */

const [first, second] = ['203.0.113.0/25', '203.0.113.128/25'] as const;
const [inFirst, inSecond] = ['203.0.113.80', '203.0.113.180'] as const;
const resolver = '203.0.113.53';
const rival = '192.0.2.53';

const naming = (prefix: string) => ({
  ...configurations[0],
  dns: { servers: [resolver], searchDomains: [] },
  pushedRoutes: { includes: [prefix], excludes: [] },
});

const to = (destination: string): Probe => ({
  source: wifi.address,
  destination,
  user: users.person,
  sourcePort: 50_000,
  destinationPort: 443,
  protocol: 'tcp',
  boundTo: wifi.name,
});

/** A helper whose journal and router can be made to fail, and whose filter is looked at. */
async function connected() {
  const failing = { journal: false, router: 'never' as 'never' | 'once' | 'always' };
  const filters: FilterRules[] = [];
  const attached: string[] = [];
  const scene = createScene({
    alterJournal: (journal) => ({
      ...journal,
      async write(entry) {
        if (failing.journal) throw new Error('no space left on device');
        await journal.write(entry);
      },
    }),
    alterPorts: (ports): Ports => ({
      ...ports,
      uplink: { ...ports.uplink, attachedNetworks: () => Promise.resolve([...attached]) },
      dns: { ...ports.dns, rivalServers: () => Promise.resolve([rival]) },
      filter: {
        ...ports.filter,
        async set(rules, options) {
          await ports.filter.set(rules, options);
          filters.push(rules);
        },
      },
      router: {
        ...ports.router,
        async set(rules) {
          const { router } = failing;
          if (router === 'once') failing.router = 'never';
          if (router !== 'never') throw new Error('no memory');
          await ports.router.set(rules);
        },
      },
    }),
  });
  await scene.helper.adapter.apply(connectionOf(routings.global, { split: true }));
  const { adapter } = scene.helper;
  const isOutside = (destination: string) => scene.model.send(to(destination)) !== 'refused';
  return {
    scene,
    adapter,
    failing,
    filters,
    attached,
    isOutside,
    pushed: () => scene.disk.entry?.connection?.pushedRoutes,
  };
}

test('only what is named last belongs in the tunnel, and what is named is in the journal', async () => {
  const { scene, adapter, isOutside, pushed } = await connected();
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, false]);
  await adapter.configure(naming(first));
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, true]);
  await adapter.configure(naming(second));
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([true, false]);
  expect(pushed()?.includes).toEqual([second]);
  await release(scene);
});

test('what a full disk kept from the journal is written there at the next attempt', async () => {
  const { scene, adapter, failing, isOutside, pushed } = await connected();
  await adapter.configure(naming(first));
  failing.journal = true;
  await expect(adapter.configure(naming(second))).rejects.toThrow('the system refused');
  expect([isOutside(inFirst), pushed()?.includes]).toEqual([false, [first]]);
  failing.journal = false;
  await adapter.configure(naming(second));
  expect(isOutside(inSecond)).toBe(false);
  expect(pushed()?.includes).toEqual([second]);
  scene.restart();
  await scene.helper.adapter.recover();
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([true, false]);
  await release(scene);
});

test('if the new routes are refused, what was named before is in force, and nothing else', async () => {
  const { scene, adapter, failing, isOutside, pushed } = await connected();
  await adapter.configure(naming(first));
  failing.router = 'once';
  await expect(adapter.configure(naming(second))).rejects.toThrow('the system refused');
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, true]);
  expect(pushed()?.includes).toEqual([first]);
  await release(scene);
});

test('if they cannot be put back either, both stay refused, as long as traffic is blocked', async () => {
  const { scene, adapter, failing, filters, isOutside } = await connected();
  await adapter.configure(naming(first));
  failing.router = 'always';
  await expect(adapter.configure(naming(second))).rejects.toThrow('the system refused');
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, false]);
  failing.router = 'never';
  filters.length = 0;
  expect(await adapter.release({ keepBlocking: true })).toEqual({ blocked: true });
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, false]);
  // At no moment in between, either.
  expect(new Set(filters.map(({ captures }) => captures.length))).toEqual(new Set([2]));
  await release(scene);
});

test('until a plan is in force again, nothing that follows lets out what could not be put back', async () => {
  const { scene, adapter, failing, filters, isOutside } = await connected();
  await adapter.configure(naming(first));
  failing.router = 'always';
  await expect(adapter.configure(naming(second))).rejects.toThrow('the system refused');
  failing.router = 'never';
  filters.length = 0;
  await adapter.limitSegments(1_200);
  expect(filters.length).toBeGreaterThan(0);
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, false]);
  await adapter.configure(naming(second));
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([true, false]);
  await release(scene);
});

test('the next thing that looks at the rules puts the plan in force that could not be put back', async () => {
  const { scene, adapter, failing, isOutside } = await connected();
  await adapter.configure(naming(first));
  failing.router = 'always';
  await expect(adapter.configure(naming(second))).rejects.toThrow('the system refused');
  failing.router = 'never';
  await adapter.setOtherAddresses([]);
  expect([isOutside(inFirst), isOutside(inSecond)]).toEqual([false, true]);
  await release(scene);
});

/** A connection to a gateway that names a network, of which a part is where the machine is from now on. */
async function attachedInside() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const connection = await connected();
  const { adapter, attached } = connection;
  await adapter.configure(naming('10.50.0.0/16'));
  const lost = vi.fn<() => void>();
  adapter.watchRouting(lost);
  onTestFinished(
    adapter.watchUplink(
      () => [],
      () => undefined,
    ),
  );
  attached.push('10.50.3.0/24');
  return { ...connection, lost };
}

test('a change of the network that cannot be followed is followed a second later', async () => {
  const { scene, adapter, failing, lost, isOutside } = await attachedInside();
  failing.router = 'once';
  await adapter.lookAgain();
  expect(isOutside('10.50.3.9')).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  await adapter.verify();
  expect([isOutside('10.50.3.9'), isOutside('10.50.4.9')]).toEqual([true, false]);
  expect(lost).not.toHaveBeenCalled();
  await release(scene);
});

test('a change of the network that can be neither followed nor left ends the connection at the third attempt', async () => {
  const { scene, adapter, failing, lost, isOutside } = await attachedInside();
  failing.router = 'always';
  await adapter.lookAgain();
  await vi.advanceTimersByTimeAsync(1_000);
  await adapter.verify();
  expect(lost).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  await adapter.verify();
  expect(lost).toHaveBeenCalledOnce();
  expect(isOutside('10.50.3.9')).toBe(false);
  failing.router = 'never';
  await release(scene);
});

test('from the moment that not everything is refused outside, no other resolver than the tunnel’s is asked', async () => {
  const { scene, adapter, filters } = await connected();
  await adapter.configure(naming(first));
  const narrow = filters.filter(({ captures }) => captures.every(({ kind }) => kind === 'prefixes'));
  expect(narrow.length).toBeGreaterThan(0);
  for (const { resolvers } of narrow) expect(resolvers).toContain(rival);
  await release(scene);
});
