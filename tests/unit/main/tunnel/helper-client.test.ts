import { createServer, type Server } from 'node:net';
import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { offeredModes } from '../../../../src/main/tunnel/offered-modes.ts';
import { createHelperClient, type HelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { startTestHelper, type TestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';
import { connected as connectedWithout, gateway } from '../support/tunnel-states.ts';

const connected: TunnelState = { ...connectedWithout, addresses: { ipv4: '192.0.2.7' } };

let client: HelperClient | undefined;
let helper: TestHelper | undefined;

afterEach(async () => {
  client?.close();
  await helper?.[Symbol.asyncDispose]();
  client = helper = undefined;
});

function attachTo(socketPath: string, limits: { helloMs?: number } = {}) {
  const states: TunnelState[] = [];
  const { log, text } = createTestLog();
  client = createHelperClient({ socketPath, version: '0.1.0', log, ...limits });
  client.onState((state) => states.push(state));
  return { client, states, log: text };
}

test('a helper that is there already tells its state at once, without an event', async () => {
  helper = await startTestHelper();
  helper.set(connected);
  const { client: attached } = attachTo(helper.socketPath);
  await attached.ready;
  expect(attached.state()).toEqual(connected);
  expect(attached.isAttached()).toBe(true);
});

test('what the helper can do is known from its hello on, and decides which modes are offered', async () => {
  helper = await startTestHelper();
  const { client: attached } = attachTo(helper.socketPath);
  expect(offeredModes(attached.capabilities())).toEqual(['global', 'pac']);
  await attached.ready;
  expect(attached.capabilities()).toEqual(['routing.global', 'routing.pac']);
  expect(offeredModes(['routing.global', 'routing.of-another-time'])).toEqual(['global']);
});

test('every change of state is told once', async () => {
  helper = await startTestHelper();
  const { client: attached, states } = attachTo(helper.socketPath);
  await attached.ready;
  const connecting: TunnelState = { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' };
  helper.set(connecting);
  helper.set(connecting);
  helper.set(connected);
  await vi.waitFor(() => expect(states).toEqual([{ state: 'disconnected' }, connecting, connected]));
});

test('a helper that goes away and comes back is attached to again, with a fresh snapshot', async () => {
  helper = await startTestHelper();
  const { client: attached, states } = attachTo(helper.socketPath);
  await attached.ready;
  await helper.stop();
  await vi.waitFor(() => expect(attached.state()).toEqual({ state: 'invalid', cause: 'helper-absent' }));
  expect(attached.isAttached()).toBe(false);
  helper.set(connected);
  await helper.start();
  await vi.waitFor(() => expect(attached.state()).toEqual(connected));
  helper.set({ state: 'disconnected' });
  await vi.waitFor(() => expect(states.at(-1)).toEqual({ state: 'disconnected' }));
});

test('a helper that starts after the app is found', async () => {
  helper = await startTestHelper();
  await helper.stop();
  const { client: attached } = attachTo(helper.socketPath);
  await attached.ready;
  expect(attached.state()).toEqual({ state: 'invalid', cause: 'helper-absent' });
  await helper.start();
  await vi.waitFor(() => expect(attached.state()).toEqual({ state: 'disconnected' }));
});

test('a helper that is slow to answer is given more time with each attempt', async () => {
  // The first answer does not come in time, however long this process stands still.
  helper = await startTestHelper({ helloTakesMs: [3_600_000, 400] });
  const { client: attached } = attachTo(helper.socketPath, { helloMs: 50 });
  await attached.ready;
  expect(attached.state()).toEqual({ state: 'invalid', cause: 'helper-absent' });
  await vi.waitFor(() => expect(attached.state()).toEqual({ state: 'disconnected' }));
});

test.each([
  ['a reply with another protocol version', 99, 'helper-incompatible'],
  ['a refusal of the protocol version', helperError.protocolVersion, 'helper-incompatible'],
  ['a refusal of the caller', helperError.permissionDenied, 'permission-denied'],
])('%s is an invalid state with its cause', async (_what, protocolVersion, cause) => {
  helper = await startTestHelper({ protocolVersion });
  const { client: attached } = attachTo(helper.socketPath);
  await attached.ready;
  expect(attached.state()).toEqual({ state: 'invalid', cause });
  await expect(attached.call('disconnect', {})).rejects.toThrow('no helper');
});

describe('something else behind the socket', () => {
  let server: Server | undefined;

  afterEach(async () => {
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  });

  test('that hangs up is no helper', async () => {
    helper = await startTestHelper();
    await helper.stop();
    await rm(helper.socketPath, { force: true });
    server = createServer((socket) => {
      socket.resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => {
      server?.listen(helper?.socketPath, resolve);
    });
    const { client: attached } = attachTo(helper.socketPath);
    await attached.ready;
    expect(attached.state()).toEqual({ state: 'invalid', cause: 'helper-absent' });
  });
});

test('a state outside the protocol is not believed', async () => {
  helper = await startTestHelper();
  const { client: attached, states, log } = attachTo(helper.socketPath);
  await attached.ready;
  helper.notify('stateChanged', { state: 'connected', evil: true });
  helper.set(connected);
  await vi.waitFor(() => expect(states.at(-1)).toEqual(connected));
  expect(states).toEqual([{ state: 'disconnected' }, connected]);
  expect(log()).toContain('outside the protocol');
});

test('a call that waits when the helper goes away is rejected', async () => {
  helper = await startTestHelper();
  const { client: attached } = attachTo(helper.socketPath);
  await attached.ready;
  const dying = helper;
  helper.on('disconnect', () => void dying.stop());
  await expect(attached.call('disconnect', {})).rejects.toThrow();
});

test('a call that the helper refuses is rejected with its code', async () => {
  helper = await startTestHelper();
  const { client: attached } = attachTo(helper.socketPath);
  await attached.ready;
  const session = { cookie: 'x', certificatePin: 'not a pin' };
  await expect(attached.call('provideSession', { session })).rejects.toHaveProperty('code');
});

test('a closed client stays away', async () => {
  helper = await startTestHelper();
  const { client: attached, states } = attachTo(helper.socketPath);
  await attached.ready;
  attached.close();
  await vi.waitFor(() => expect(attached.isAttached()).toBe(false));
  helper.set(connected);
  expect(states).not.toContainEqual(connected);
});
