import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createAutomaticConnection } from '../../../src/main/automatic-connection.ts';
import { createTestSurroundings, groups, type TestSurroundings } from './support/surroundings.ts';

let around: TestSurroundings;
beforeEach(async () => {
  around = await createTestSurroundings();
});
afterEach(() => around[Symbol.asyncDispose]());

/** A gateway that nobody gets through to, and how often it was tried; the server that is chosen leads to it. */
async function chooseUnreachable(): Promise<{ tries: () => number } & AsyncDisposable> {
  let tries = 0;
  const gateway = createServer().on('connection', (socket) => {
    tries += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => {
    gateway.listen(0, '127.0.0.1', done);
  });
  const { port } = gateway.address() as AddressInfo;
  const server = { serverId: 'one', name: 'One', domain: '127.0.0.1', port };
  const group = { ...groups[0], items: [{ id: 'one', level: 1, servers: [server] }] };
  around.files.planFile.content.set('plan', { groups: [group] });
  around.answers['/api/server-groups'] = { items: [group] };
  around.files.settingsFile.content.set('serverId', 'one');
  around.helper.on('disconnect', ({ reason }) =>
    around.helper.set({ state: 'disconnected', ...(reason && { reason }) }),
  );
  return {
    tries: () => tries,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => {
        gateway.close(done);
      });
    },
  };
}

test('an automatic connection is tried again while there is no network, and given up with a reason', async () => {
  await using gateway = await chooseUnreachable();
  const core = around.startCore();
  const reason = await new Promise((resolve) => {
    createAutomaticConnection({ core, giveUp: resolve, pausesMs: [1, 1] }).begin();
  });
  expect(reason).toBe('gateway-unreachable');
  expect(around.helper.calls.filter(({ method }) => method === 'connect').length).toBe(3);
  expect(gateway.tries()).toBeGreaterThanOrEqual(3);
});

test('an automatic connection is tried again while the clock may not have been set yet', async () => {
  await using _ = await chooseUnreachable();
  const reason = 'gateway-certificate-dates';
  around.helper.on('disconnect', () => around.helper.set({ state: 'disconnected', reason }));
  const core = around.startCore();
  const givenUp = await new Promise((resolve) => {
    createAutomaticConnection({ core, giveUp: resolve, pausesMs: [1, 1] }).begin();
  });
  expect(givenUp).toBe(reason);
  expect(around.helper.calls.filter(({ method }) => method === 'connect').length).toBe(3);
});

test('where nobody may be there to try again, an automatic connection is tried until there is a network', async () => {
  await using gateway = await chooseUnreachable();
  const core = around.startCore();
  const givenUp: string[] = [];
  const automatic = createAutomaticConnection({
    core,
    giveUp: (reason) => givenUp.push(reason),
    pausesMs: [1],
    laterMs: 1,
  });
  automatic.begin();
  await vi.waitFor(() => expect(gateway.tries()).toBeGreaterThan(4));
  expect(givenUp).toEqual([]);
  expect(automatic.isTrying()).toBe(true);
  automatic.stop();
});

test('an automatic connection ends with what the user presses meanwhile', async () => {
  await using _ = await chooseUnreachable();
  const core = around.startCore();
  const states: TunnelState[] = [];
  core.onTunnelState((state) => {
    states.push(state);
    if (state.state === 'connecting') void core.tunnel.host.disconnect(undefined);
  });
  const automatic = createAutomaticConnection({ core, giveUp: () => undefined, pausesMs: [1, 1] });
  automatic.begin();
  expect(automatic.isTrying()).toBe(true);
  await vi.waitFor(() => expect(states.map(({ state }) => state)).toContain('connecting'));
  await vi.waitFor(() => expect(states.at(-1)).toEqual({ state: 'disconnected' }));
  expect(states.filter(({ state }) => state === 'connecting')).toHaveLength(1);
  expect(automatic.isTrying()).toBe(false);
});

/** Asks it to connect while the keychain refuses, as it does until its service has started. */
async function beginWithoutKeychain() {
  around.files.keychain.mode = 'throws';
  const core = around.startCore();
  const automatic = createAutomaticConnection({ core, giveUp: () => undefined, pausesMs: [1] });
  automatic.begin();
  await Promise.all([core.session.load(), core.routingModes()]);
  await new Promise(setImmediate);
  return { core, automatic };
}

test('while the keychain may still start, it waits for the session', async () => {
  await using gateway = await chooseUnreachable();
  const { core, automatic } = await beginWithoutKeychain();
  expect(automatic.isTrying()).toBe(true);
  expect(gateway.tries()).toBe(0);
  await core.session.signIn('token');
  await vi.waitFor(() => expect(gateway.tries()).toBeGreaterThan(0));
});

test('when the keychain says that nobody is signed in, it does not wait', async () => {
  await using _ = await chooseUnreachable();
  around.files.keychain.secrets.clear();
  const core = around.startCore();
  const automatic = createAutomaticConnection({ core, giveUp: () => undefined, pausesMs: [1] });
  automatic.begin();
  expect(automatic.isTrying(), 'positive control').toBe(true);
  await vi.waitFor(() => expect(automatic.isTrying()).toBe(false));
});

test('begun again it has all its tries again, and stopped it makes no more', async () => {
  await using _ = await chooseUnreachable();
  const core = around.startCore();
  const tries = () => around.helper.calls.filter(({ method }) => method === 'connect').length;
  const automatic = createAutomaticConnection({ core, giveUp: () => undefined, pausesMs: [3_600_000] });
  automatic.begin();
  const failed = { state: 'disconnected', reason: 'gateway-unreachable' };
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual(failed));
  expect(tries()).toBe(1);
  automatic.begin();
  await vi.waitFor(() => expect(tries()).toBe(2));
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual(failed));
  expect(automatic.isTrying()).toBe(true);
  automatic.stop();
  expect(automatic.isTrying()).toBe(false);
});
