import { afterEach, expect, test, vi } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { SharedLists, WantedRouting } from '#shared/tunnel/shared-lists.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createHelperClient, type HelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { startTestHelper, type TestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';
import { connected as connectedGlobally, destinationOf, gateway } from '../support/tunnel-states.ts';
import { createTestRequests } from '../support/tunnel-requests.ts';

const words = (text: string) => text.split(' ');
const connected: TunnelState = { ...connectedGlobally, routing: { mode: 'pac' } };
const domains: SharedLists = {
  mode: 'pac',
  routeDomains: ['a.test', 'b.test'],
  blockedDomains: ['ads.test'],
};
const prefixes: SharedLists = { mode: 'ip', routeIps: ['192.0.2.0/24'] };

let helper: TestHelper;
let client: HelperClient;

afterEach(async () => {
  client.close();
  await helper[Symbol.asyncDispose]();
});

const byDomains = (through: string[], lists = domains): WantedRouting => ({
  routing: { mode: 'pac', routeDomains: through, blockedDomains: [] },
  lists,
});
const byAddress = (localNetwork: boolean): WantedRouting => ({
  routing: { mode: 'ip', policy: 'include', routeIps: [], localNetwork },
  lists: prefixes,
});

async function setUp(options: { keepsLists: boolean; state?: TunnelState }) {
  helper = await startTestHelper(options);
  helper.set(options.state ?? connected);
  const { log } = createTestLog();
  client = createHelperClient({ socketPath: helper.socketPath, version: '0.1.0', log });
  await client.ready;
  const preferred = { wanted: byDomains([]), killSwitch: false };
  const forTunnel = () => ({ ...preferred.wanted, killSwitch: preferred.killSwitch });
  const requests = createTestRequests({ helper: client, preferences: { forTunnel }, log });
  return {
    requests,
    preferred,
    /** As preferences do after a change. */
    change: () => requests.change(forTunnel()),
    calls: () => helper.calls.filter(({ method }) => method !== 'snapshot'),
  };
}

test('lists are sent once, and what follows has their name and what the user has chosen', async () => {
  const { requests, preferred, change, calls } = await setUp({ keepsLists: true });
  await requests.connect(destinationOf(gateway), '192.0.2.1');
  preferred.killSwitch = true;
  await change();
  preferred.wanted = byDomains(['own.test']);
  await change();
  await requests.disconnect(undefined);
  await requests.connect(destinationOf(gateway), '192.0.2.1');
  // A change to another mode and back, with lists for each.
  for (const wanted of [byAddress(false), byAddress(true), byDomains([])]) {
    preferred.wanted = wanted;
    await change();
  }
  expect(calls().map(({ method }) => method)).toEqual(
    words(
      'storeLists connect setRouting setRouting disconnect connect storeLists setRouting setRouting setRouting',
    ),
  );
  const routed = calls().flatMap(({ params }) => ('routing' in params ? [params] : []));
  expect(routed).toMatchObject([
    { killSwitch: false, routing: { routeDomains: [] } },
    { killSwitch: true, routing: { routeDomains: [] } },
    { routing: { routeDomains: ['own.test'] } },
    { routing: { routeDomains: ['own.test'] } },
    { routing: { mode: 'ip', routeIps: [], localNetwork: false } },
    { routing: { mode: 'ip', routeIps: [], localNetwork: true } },
    { routing: { mode: 'pac', routeDomains: [] } },
  ]);
  const named = routed.map((params) => ('lists' in params ? params.lists : undefined));
  expect(named[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(named[4]).not.toBe(named[0]);
  expect(named).toEqual([0, 0, 0, 0, 4, 4, 0].map((index) => named[index]));
});

test('other lists, and another helper, are sent them', async () => {
  const { preferred, change, calls } = await setUp({ keepsLists: true });
  await change();
  preferred.wanted = byDomains([], { ...domains, routeDomains: ['c.test'] });
  await change();
  await helper.stop();
  await vi.waitFor(() => expect(client.isAttached()).toBe(false));
  await helper.start();
  await vi.waitFor(() => expect(client.state()).toEqual(connected));
  await change();
  const stored = calls().filter(({ method }) => method === 'storeLists');
  expect(stored).toMatchObject(
    ['a.test', 'c.test', 'c.test'].map((name) => ({
      params: { lists: { routeDomains: expect.arrayContaining([name]) as string[] } },
    })),
  );
});

test.each([
  ['older', false],
  ['full', true],
])('a helper that is %s gets everything each time', async (_, keepsLists) => {
  const { requests, preferred, change, calls } = await setUp({ keepsLists });
  helper.on('storeLists', () => {
    throw new ResponseError(helperError.noRoom, 'full');
  });
  await requests.connect(destinationOf(gateway), '192.0.2.1');
  preferred.wanted = byDomains(['own.test']);
  await change();
  expect(calls().filter(({ method }) => method !== 'storeLists')).toMatchObject([
    { method: 'connect', params: { routing: domains } },
    {
      method: 'setRouting',
      params: { routing: { routeDomains: ['a.test', 'b.test', 'own.test'], blockedDomains: ['ads.test'] } },
    },
  ]);
  for (const { params } of calls().filter(({ method }) => method !== 'storeLists'))
    expect(params).not.toHaveProperty('lists');
});

test('lists are sent before they are needed, so that a click has nothing to wait for', async () => {
  const { requests, preferred, change, calls } = await setUp({
    keepsLists: true,
    state: { state: 'disconnected' },
  });
  const methods = () => calls().map(({ method }) => method);
  await change();
  await vi.waitFor(() => expect(methods()).toEqual(['storeLists']));
  preferred.wanted = byAddress(false);
  await change();
  await vi.waitFor(() => expect(methods()).toEqual(words('storeLists storeLists')));
  await change();
  await requests.connect(destinationOf(gateway), '192.0.2.1');
  expect(methods()).toEqual(words('storeLists storeLists connect'));
  expect(calls().at(-1)?.params).toHaveProperty('lists');
  // Another helper has none.
  await helper.stop();
  await vi.waitFor(() => expect(client.isAttached()).toBe(false));
  await helper.start();
  await vi.waitFor(() => expect(methods()).toEqual(words('storeLists storeLists connect storeLists')));
});

test('a click while lists are on their way waits for them, and does not send them again', async () => {
  const { requests, change, calls } = await setUp({ keepsLists: true, state: { state: 'disconnected' } });
  const ahead = change();
  const click = requests.connect(destinationOf(gateway), '192.0.2.1');
  await Promise.all([ahead, click]);
  await requests.disconnect(undefined);
  expect(calls().map(({ method }) => method)).toEqual(words('storeLists connect disconnect'));
  expect(calls()[1]?.params).toHaveProperty('lists');
});

test('lists that change while a click is on its way do not replace those that it refers to', async () => {
  const { requests, preferred, change, calls } = await setUp({
    keepsLists: true,
    state: { state: 'disconnected' },
  });
  await change();
  const click = requests.connect(destinationOf(gateway), '192.0.2.1');
  preferred.wanted = byDomains([], { ...domains, routeDomains: ['c.test'] });
  helper.set({ state: 'disconnected', reason: 'gateway-unreachable' });
  await click;
  expect(calls().map(({ method }) => method)).toEqual(words('storeLists connect'));
  await change();
  await vi.waitFor(() =>
    expect(calls().map(({ method }) => method)).toEqual(words('storeLists connect storeLists')),
  );
});

test.each([
  ['the mode needs no lists', true, { routing: { mode: 'global', localNetwork: false } } as const],
  ['the helper stores none', false, byDomains([])],
])('nothing is sent before it is needed if %s', async (_, keepsLists, wanted) => {
  const { requests, preferred, change, calls } = await setUp({
    keepsLists,
    state: { state: 'disconnected' },
  });
  preferred.wanted = wanted;
  await change();
  helper.set({ state: 'disconnected', reason: 'gateway-unreachable' });
  await vi.waitFor(() => expect(client.state()).toHaveProperty('reason'));
  await requests.connect(destinationOf(gateway), '192.0.2.1');
  expect(calls().map(({ method }) => method)).toEqual(['connect']);
});

test('nothing that is asked for later overtakes a request whose lists are on their way', async () => {
  const { requests, calls } = await setUp({ keepsLists: true });
  await Promise.all([requests.connect(destinationOf(gateway), '192.0.2.1'), requests.disconnect(undefined)]);
  expect(calls().map(({ method }) => method)).toEqual(['storeLists', 'connect', 'disconnect']);
});
