import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { maxPortalMs } from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createHelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { createPortalSignIn } from '../../../../src/main/tunnel/portal-sign-in.ts';
import { startTestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const address = 'http://service.test/api/generate_204';
const blocked: TunnelState = { state: 'disconnected', reason: 'captive-portal', blocked: true };

/** A blocked helper, and a network that answers for the service until somebody has signed in. */
async function setUp() {
  const network = { isPassed: false, asked: [] as string[] };
  const proxy = createServer((request, response) => {
    network.asked.push(request.url ?? '');
    if (network.isPassed) response.writeHead(204).end();
    else response.writeHead(302, { location: 'http://portal.test/' }).end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(() => proxy.close());
  const proxyPort = (proxy.address() as AddressInfo).port;
  const helper = await startTestHelper({ proxyPort });
  closing.push(() => helper[Symbol.asyncDispose]());
  helper.set(blocked);
  const { log } = createTestLog();
  const client = createHelperClient({ socketPath: helper.socketPath, version: '0.1.0', log });
  closing.push(() => client.close());
  await client.ready;
  const windows: { address: string; proxyPort: number; isOpen: boolean; userCloses: () => void }[] = [];
  const onPassed = vi.fn();
  const onFound = vi.fn();
  const portal = createPortalSignIn({
    helper: client,
    address,
    openWindow: async ({ signal, ...page }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const window = { ...page, isOpen: true, userCloses: resolve };
      windows.push(window);
      signal.addEventListener('abort', () => resolve());
      await promise;
      window.isOpen = false;
    },
    onFound,
    onPassed,
    log,
  });
  const commands = () => helper.calls.filter(({ method }) => method.endsWith('Portal'));
  return { helper, network, proxyPort, windows, onFound, onPassed, portal, commands };
}

const opened = { method: 'openPortal', params: { forMs: maxPortalMs } };
const closed = { method: 'closePortal', params: {} };

test('the window is shown by the helper’s proxy, and closed when the network lets through', async () => {
  const { portal, windows, proxyPort, commands, network, onPassed } = await setUp();
  expect(await portal.open(undefined)).toBe('shown');
  expect(windows).toMatchObject([{ address, proxyPort, isOpen: true }]);
  await vi.waitFor(() => expect(network.asked).toEqual([address]));
  expect(commands()).toEqual([opened]);
  network.isPassed = true;
  await vi.waitFor(() => expect(onPassed).toHaveBeenCalledTimes(1));
  expect(windows).toMatchObject([{ isOpen: false }]);
  expect(commands()).toEqual([opened, closed]);
});

test('there is one window at a time, and with it goes the way out', async () => {
  const { portal, windows, commands, onPassed } = await setUp();
  await portal.open(undefined);
  expect(await portal.open(undefined)).toBe('shown');
  expect(windows).toHaveLength(1);
  windows[0]?.userCloses();
  await vi.waitFor(() => expect(commands()).toEqual([opened, closed]));
  expect(onPassed).not.toHaveBeenCalled();
  await vi.waitFor(async () => {
    await portal.open(undefined);
    expect(windows).toHaveLength(2);
  });
});

test('the window closes when nothing is blocked any more', async () => {
  const { helper, portal, windows, onPassed } = await setUp();
  await portal.open(undefined);
  helper.set({ state: 'disconnected' });
  await vi.waitFor(() => expect(windows).toMatchObject([{ isOpen: false }]));
  expect(onPassed).not.toHaveBeenCalled();
});

test('there is no window if the helper refuses', async () => {
  const { helper, portal, windows } = await setUp();
  helper.on('openPortal', () => {
    throw new Error('nothing is blocked');
  });
  expect(await portal.open(undefined)).toBe('failed');
  expect(windows).toEqual([]);
});

test('where the network lets through there is no window, and the way is closed again', async () => {
  const { network, portal, windows, commands, onFound, onPassed } = await setUp();
  network.isPassed = true;
  expect(await portal.open(undefined)).toBe('absent');
  expect(commands()).toEqual([opened, closed]);
  expect(windows).toEqual([]);
  expect(onFound).toHaveBeenCalledExactlyOnceWith(false);
  expect(onPassed).not.toHaveBeenCalled();
  network.isPassed = false;
  expect(await portal.open(undefined)).toBe('shown');
  expect(onFound).toHaveBeenLastCalledWith(true);
});
