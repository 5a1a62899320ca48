import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createNetworkManager } from '../../../../../src/main/networks/linux/network-manager.ts';
import type { NetworkInUse, Networks } from '../../../../../src/main/networks/networks.ts';
import { systemNetworks } from '../../../../../src/main/networks/system-networks.ts';
import { startNetworkManager, type TestNetworkManager } from '../../../../lab/desktop/network-manager.ts';
import { createTestLog } from '../../support/log.ts';

/** A real message bus, asked as the app asks the system's. */

const { log } = createTestLog();
const none = { network: { kind: 'none' }, id: '' };
let directory: string;
let networks: Networks | undefined;
/** Of all tests, each of which begins without connections. */
let manager: TestNetworkManager;
let managerDirectory: string;
beforeAll(async () => {
  managerDirectory = await mkdtemp(path.join(tmpdir(), 'waymaker-networks-'));
  manager = await startNetworkManager(managerDirectory);
});
afterAll(async () => {
  await manager[Symbol.asyncDispose]();
  await rm(managerDirectory, { recursive: true, force: true });
});
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-networks-'));
  await manager.join();
});
afterEach(async () => {
  networks?.close();
  await rm(directory, { recursive: true, force: true });
});

/** All that it has told so far, the latest last. */
function follow(busAddress: string, pausesMs?: number[]): (NetworkInUse | undefined)[] {
  networks = createNetworkManager({ busAddress, log, ...(pausesMs && { pausesMs }) });
  const told: (NetworkInUse | undefined)[] = [];
  networks.onChange((now) => told.push(now));
  return told;
}

const wifi = (name: string | Uint8Array, isProtected = true) => {
  const ssid = Buffer.from(typeof name === 'string' ? Buffer.from(name) : name).toString('hex');
  return { network: { kind: 'wifi', ssid, isProtected }, id: `wifi ${ssid} ${isProtected}` };
};
const busOf = ({ env }: TestNetworkManager) => env.DBUS_SYSTEM_BUS_ADDRESS;

test('networks are told as they come and go, whatever their names are', async () => {
  const told = follow(busOf(manager));
  expect(await networks?.watch()).toEqual(none);
  const names = ['home', '家里', Buffer.from([0, 0xff, 0x1b, 0x0a]), Buffer.alloc(32, 0xe2)];
  for (const name of names) {
    await manager.joinWifi(name);
    await expect.poll(() => told.at(-1)).toEqual(wifi(name));
  }
  await manager.joinWifi('home', { isOpen: true });
  await expect.poll(() => told.at(-1)).toEqual(wifi('home', false));
  await manager.join({ type: '802-3-ethernet' });
  await expect.poll(() => told.at(-1)?.network).toEqual({ kind: 'wired' });
  await manager.join({ type: 'gsm' });
  await expect.poll(() => told.at(-1)?.network).toEqual({ kind: 'other' });
  await manager.join();
  await expect.poll(() => told.at(-1)).toEqual(none);
});

test('whether the network is metered is told, too', async () => {
  await manager.joinWifi('train');
  const told = follow(busOf(manager));
  expect(await networks?.isMetered()).toBe(false);
  await manager.setMetered(true);
  await expect.poll(() => told.at(-1)).toEqual({ ...wifi('train'), isMetered: true });
  expect(await networks?.isMetered()).toBe(true);
  await manager.setMetered(false);
  await expect.poll(() => told.at(-1)).toEqual(wifi('train'));
  expect(await networks?.isMetered()).toBe(false);
});

test('with a tunnel up, the network below it is told', async () => {
  const home = { type: '802-11-wireless', ssid: Buffer.from('home') };
  await manager.join({ type: 'tun', isPrimary: false }, home);
  const told = follow(busOf(manager));
  expect(await networks?.watch()).toEqual(wifi('home'));
  // Another's, that takes all traffic.
  await manager.join({ type: 'wireguard' }, { ...home, ssid: Buffer.from('café'), isPrimary: false });
  await expect.poll(() => told.at(-1)).toEqual(wifi('café'));
  // What leads nowhere is no way into the world.
  await manager.join({ ...home, isPrimary: false });
  await expect.poll(() => told.at(-1)).toEqual(none);
});

test('while NetworkManager restarts nobody knows, and then it is asked again', async () => {
  await manager.joinWifi('home');
  const told = follow(busOf(manager));
  expect(await networks?.watch()).toEqual(wifi('home'));
  await manager.stop();
  await expect.poll(() => told.at(-1)).toBeUndefined();
  expect(await networks?.watch()).toBeUndefined();
  await manager.start();
  await manager.joinWifi('café');
  await expect.poll(() => told.at(-1)).toEqual(wifi('café'));
});

test('a machine without a bus is logged once, not each time that one is looked for', async () => {
  const busAddress = path.join(directory, 'bus');
  let attempts = 0;
  const bus = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  }).listen(busAddress);
  try {
    const own = createTestLog();
    networks = createNetworkManager({
      busAddress: `unix:path=${busAddress}`,
      log: own.log,
      pausesMs: [1, 1],
    });
    await networks.watch();
    await expect.poll(() => attempts).toBe(3);
    networks.close();
    expect(own.text().match(/networks cannot be asked for/g)).toHaveLength(1);
  } finally {
    bus.close();
  }
});

test('a bus that has gone is looked for as long as it takes until there is another one', async () => {
  await manager.joinWifi('home');
  const told = follow(busOf(manager), [10, 10]);
  expect(await networks?.watch()).toEqual(wifi('home'));
  await manager[Symbol.asyncDispose]();
  await expect.poll(() => told.at(-1)).toBeUndefined();
  // Much longer than all pauses together.
  await delay(1_000);
  manager = await startNetworkManager(managerDirectory);
  await manager.joinWifi('café');
  await expect.poll(() => told.at(-1)).toEqual(wifi('café'));
});

test('without a bus, or with one that is none, nobody knows', async () => {
  follow(`unix:path=${path.join(directory, 'none')}`, []);
  expect(await networks?.watch()).toBeUndefined();
  const socket = path.join(directory, 'nonsense');
  const sockets: Socket[] = [];
  const server = createServer((connection) => {
    sockets.push(connection);
    connection.on('error', () => undefined);
    connection.once('data', () => connection.end('REJECTED\r\n\0\0\0'));
  });
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  networks?.close();
  follow(`unix:path=${socket}`, []);
  expect(await networks?.watch()).toBeUndefined();
  expect(sockets.length).toBeGreaterThan(0);
  server.close();
});

test('networks are asked for on Linux, macOS and Windows, and nowhere else', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    expect(systemNetworks({ platform, env: {}, log })).toBeDefined();
  expect(systemNetworks({ platform: 'freebsd', env: {}, log })).toBeUndefined();
});
