import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { createLog } from '../../../../helper/log.ts';
import { planOf } from '../../../../helper/modes/plan-of.ts';
import { readRouting } from '../../../../helper/modes/read-routing.ts';
import { noNetworks } from '../../../../helper/network/nearby-networks.ts';
import type { Route } from '../../../../helper/windows/calls/ip-helper.ts';
import { configurationWith, connectionOf, gateway, portsOn, startHelper } from './model/helper-on-machine.ts';
import { Machine } from './model/machine.ts';

/** Whether others' routes come before the tunnel's, as the state tells it. */

const log = createLog(() => undefined);
const everything: Routing = { mode: 'global', localNetwork: false };
/** The adapter of another VPN. */
const other = 50n;
let machine: Machine;
beforeEach(() => {
  machine = new Machine(true);
});
afterEach(() => machine.helperEnds());

async function connect(routing = everything) {
  const helper = startHelper(machine, {}, { log });
  await helper.apply(connectionOf(routing, false));
  await helper.configure(configurationWith());
  return helper;
}

function addOther(prefixes: readonly string[], metric: number): void {
  machine.addInterface(other, '00000000-0000-4000-8000-000000000050', metric);
  machine.ip.routes.push(
    ...prefixes.map((prefix): Route => ({ luid: other, prefix, nextHop: undefined, metric: 0 })),
  );
  machine.othersChanged();
}

const halves = ['0.0.0.0/1', '128.0.0.0/1'];
/** A default route in pieces, without the networks that no host has. */
const pieces = ['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '8.0.0.0/5', '16.0.0.0/4', '32.0.0.0/3', '64.0.0.0/2'];
const quarters = ['0.0.0.0/2', '64.0.0.0/2', '128.0.0.0/2', '192.0.0.0/2'];

test.each<[string, readonly string[], number]>([
  ['quarters, whatever they cost', quarters, 5_000],
  ['pieces of one half', pieces, 5_000],
  ['all of IPv6', ['2000::/3'], 5_000],
])(
  'another VPN’s routes come first where they are %s, and no more once they are gone',
  async (_, prefixes, metric) => {
    const helper = await connect();
    await expect.poll(() => helper.problems()).toEqual([]);
    addOther(prefixes, metric);
    await expect.poll(() => helper.problems()).toEqual(['routes-overruled']);
    machine.detach(other);
    await expect.poll(() => helper.problems()).toEqual([]);
  },
);

test.each<[string, readonly string[], number]>([
  ['halves that cost more', halves, 1],
  ['halves that cost nothing, like ours', halves, 0],
  ['a default route that costs nothing', ['0.0.0.0/0', '::/0'], 0],
  ['those of a company', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'], 1],
  ['those to its own gateway', ['203.0.113.77/32', '9.0.0.1/32'], 1],
  ['a network that is numbered as in examples', ['192.0.2.0/24', '2001:db8::/32'], 1],
])('another VPN’s routes do not come first where they are %s', async (_, prefixes, metric) => {
  await connect();
  const router = await routerFor(everything);
  addOther(prefixes, metric);
  expect(await router.isOverruled?.()).toBe(false);
  machine.ip.routes.push(
    ...quarters.map((prefix) => ({ luid: other, prefix, nextHop: undefined, metric: 0 })),
  );
  expect(await router.isOverruled?.(), 'positive control').toBe(true);
});

test('only routes that lead everything into a tunnel can come second', async () => {
  const lists: Routing = { mode: 'ip', policy: 'include', routeIps: ['203.0.113.0/24'], localNetwork: false };
  await connect(lists);
  const listed = await routerFor(lists);
  addOther(quarters, 1);
  expect(await listed.isOverruled?.()).toBe(false);
  const router = await routerFor(everything);
  expect(await router.isOverruled?.(), 'positive control').toBe(true);
  machine.removeTunnel();
  expect(await router.isOverruled?.(), 'without a tunnel').toBe(false);
});

/** The router alone, which is asked at once. */
async function routerFor(routing: Routing) {
  const { router } = portsOn(machine, { log });
  await router.set({
    capture: planOf(readRouting(routing)).capture,
    networks: noNetworks,
    gateway,
    tunnelAddresses: ['10.9.0.2', '2001:db8:9::2'],
    resolvers: [],
    owner: undefined,
  });
  return router;
}
