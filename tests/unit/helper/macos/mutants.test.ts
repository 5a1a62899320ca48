import { describe, expect, test } from 'vitest';
import type { MacosCalls } from '../../../../helper/macos/calls/macos-calls.ts';
import type { FilterCalls } from '../../../../helper/macos/calls/pfctl.ts';
import type { RouteCalls } from '../../../../helper/macos/calls/routing-socket.ts';
import { casesOf } from '../../../lab/runs/thoroughness.ts';
import { interferences } from './support/interference.ts';
import type { Alterations } from './support/modelled-helper.ts';
import {
  addOldState,
  changeRouting,
  configure,
  connect,
  createScene,
  gateways,
  interfere,
  moveTo,
  release,
  wrongWays,
  type Scene,
} from './support/scene.ts';

// Each is the adapter with one mistake. If the properties of protection.test.ts did not notice it, they would prove
// nothing.

const filter = (change: (calls: FilterCalls) => Partial<FilterCalls>): Alterations => ({
  alterCalls: (calls) => ({ ...calls, filter: { ...calls.filter, ...change(calls.filter) } }),
});
const routes = (change: (calls: RouteCalls) => Partial<RouteCalls>): Alterations => ({
  alterCalls: (calls) => ({ ...calls, routes: { ...calls.routes, ...change(calls.routes) } }),
});
/** Rules with something replaced in each line. */
const rules = (from: string | RegExp, to: string): Alterations =>
  filter((calls) => ({
    load: (anchor, text) =>
      calls.load(
        anchor,
        text
          .split('\n')
          .map((line) => line.replace(from, to))
          .join('\n'),
      ),
  }));
const store = (change: (calls: MacosCalls['store']) => Partial<MacosCalls['store']>): Alterations => ({
  alterCalls: (calls) => ({ ...calls, store: { ...calls.store, ...change(calls.store) } }),
});

const mutants: Record<string, Alterations> = {
  'connections that are known are not ended': filter(() => ({ killStates: () => Promise.resolve() })),
  'the packet filter is not switched on': filter(() => ({ enable: () => Promise.resolve() })),
  'the packet filter stays on': filter(() => ({ release: () => Promise.resolve('released') })),
  'the rules stay': filter((calls) => ({
    load: (anchor, text) => (text === '' ? Promise.resolve() : calls.load(anchor, text)),
  })),
  'the last rule, which refuses, is missing': rules(/^block return out quick all$/, ''),
  'anybody may reach the gateway': rules(' user 301', ''),
  'what is let out keeps a state that outlives its rule': rules(
    /^(pass out quick inet from any.*) no state$/,
    '$1 keep state',
  ),
  'a resolver on the link may be asked': rules(/^block return out quick inet proto \{ tcp udp \} .*$/, ''),
  'the proxy may go past the tunnel': rules(/^block .* user 302$/, ''),
  'nothing is let into the tunnel': rules(/^pass out quick on utun.*$/, ''),
  'routes stay': routes(() => ({ remove: () => 'absent' })),
  'routes are not marked as ours': routes((calls) => ({
    table: () => calls.table().map((route) => ({ ...route, isOurs: false })),
  })),
  'nothing leads into the tunnel': routes((calls) => ({
    add: (route) => (route.way.kind === 'interface' ? 'added' : calls.add(route)),
  })),
  'nothing is refused without a tunnel': routes((calls) => ({
    add: (route) => (route.way.kind === 'refused' ? 'added' : calls.add(route)),
  })),
  'resolvers that users have named stay': store((calls) => ({
    set: (key, value) => (key.startsWith('Setup:') ? undefined : calls.set(key, value)),
  })),
  'resolvers are not put back': {
    alterPorts: (ports) => ({
      ...ports,
      dns: { ...ports.dns, clear: () => Promise.resolve(), undo: () => Promise.resolve() },
    }),
  },
  'the journal does not know of resolvers': {
    alterPorts: (ports) => ({
      ...ports,
      dns: {
        ...ports.dns,
        prepare: async () => void (await ports.dns.prepare()),
        prepareAgain: async () => void (await ports.dns.prepareAgain()),
      },
    }),
  },
  'the filter is not looked after': {
    alterPorts: (ports) => ({
      ...ports,
      filter: { ...ports.filter, verify: () => Promise.resolve('in-force') },
    }),
  },
  'the routes are not looked after': {
    alterPorts: (ports) => ({
      ...ports,
      router: { ...ports.router, verify: () => Promise.resolve('in-force') },
      device: { ...ports.device, verify: () => Promise.resolve('in-force') },
    }),
  },
  'the filter opens before its successor is in force': {
    alterPorts: (ports) => ({
      ...ports,
      filter: {
        ...ports.filter,
        set: async (wanted, options) => {
          await ports.filter.clear();
          await ports.filter.set(wanted, options);
        },
      },
    }),
  },
  'the filter does not follow the gateway': {
    alterPorts: (ports) => ({
      ...ports,
      filter: {
        ...ports.filter,
        set: (wanted, options) =>
          ports.filter.set({ ...wanted, gateway: { address: gateways[0], port: 443 } }, options),
      },
    }),
  },
  'the routes do not follow the gateway': {
    alterPorts: (ports) => ({
      ...ports,
      router: {
        ...ports.router,
        set: (wanted) => ports.router.set({ ...wanted, gateway: { address: gateways[0], port: 443 } }),
      },
    }),
  },
};

/** What is wrong in a walk through everything that the adapter does, in words. */
async function findings(alterations: Alterations): Promise<string[]> {
  const found: string[] = [];
  const look = (scene: Scene, when: string) => {
    found.push(...scene.leaks.splice(0), ...wrongWays(scene).map((text) => `${when}: ${text}`));
  };
  const isSame = (scene: Scene, before: unknown, when: string) => {
    if (JSON.stringify(scene.model.snapshot()) !== JSON.stringify(before))
      found.push(`${when}: not as before`);
  };
  const isTrue = (fact: boolean, text: string) => {
    if (!fact) found.push(text);
  };
  const scene = createScene(alterations);
  try {
    const before = scene.model.snapshot();
    await connect(scene, 'global with the local network');
    look(scene, 'connected');
    isTrue(await scene.helper.adapter.verify(), 'not in force');
    isTrue((await scene.helper.ports.dns.verify()) === 'in-force', 'other resolvers are asked');
    await changeRouting(scene, 'global');
    look(scene, 'another mode');
    await moveTo(scene, gateways[1]);
    look(scene, 'another gateway');
    for (const [how, change] of Object.entries(interferences)) {
      isTrue(await interfere(scene, change), `not put back: ${how}`);
      look(scene, how);
    }
    await configure(scene, 1);
    await changeRouting(scene, 'proxy');
    look(scene, 'the proxy');
    await release(scene);
    isSame(scene, before, 'released');

    const crashed = createScene(alterations);
    addOldState(crashed);
    await connect(crashed, 'global', false);
    look(crashed, 'beside known connections');
    crashed.promises = [];
    crashed.restart();
    await crashed.helper.adapter.recover();
    isTrue(crashed.model.machine.anchors.size === 0, 'rules are left after a crash');
    isTrue(!crashed.model.machine.routes.some(({ isOurs }) => isOurs), 'routes are left after a crash');
    isTrue(
      JSON.stringify([...crashed.model.machine.store]) ===
        JSON.stringify([...createScene().model.machine.store]),
      'resolvers are left after a crash',
    );
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

test('the adapter without a mistake passes', async () => {
  expect(await findings({})).toEqual([]);
});

describe('an adapter with this mistake is noticed', () => {
  const all = Object.keys(mutants);
  test.each(casesOf({ usual: all.filter((_, index) => index % 2 === 0), all }))('%s', async (name) => {
    expect(await findings(mutants[name] ?? {})).not.toEqual([]);
  });
});
