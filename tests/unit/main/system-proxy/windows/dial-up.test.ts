import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSettings } from '../../../../../src/main/preferences/settings.ts';
import { createSystemProxy } from '../../../../../src/main/system-proxy/system-proxy.ts';
import {
  createConnectionOptions,
  type ConnectionOptions,
  type ConnectionSettings,
} from '../../../../../src/main/system-proxy/windows/connection-options.ts';
import { createDialUpProxies } from '../../../../../src/main/system-proxy/windows/dial-up-proxies.ts';
import { createWindowsProxies } from '../../../../../src/main/system-proxy/windows/internet-settings.ts';
import { readPhoneBook } from '../../../../../src/main/system-proxy/windows/phone-book.ts';
import type { ProxySettings } from '../../../../../src/main/system-proxy/proxy-settings.ts';
import { createTestFile, type TestFile } from '../../support/key-value-file.ts';
import { createTestLog } from '../../support/log.ts';

const pac = 'http://127.0.0.1:28/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:30/77ab01.pac';
const [direct, proxy, script, detects] = [1, 2, 4, 8];

/** WinINET's settings of connections that dial in, and those of the local network. */
function createWindows(connections: Record<string, ConnectionSettings>) {
  const network = { address: null as string | null, mode: 'detects' };
  let announced = 0;
  const options: ConnectionOptions = {
    read: (name = '') => ({ flags: direct, script: '', ...connections[name] }),
    write(name = '', settings) {
      connections[name] = { ...options.read(name), ...settings };
    },
  };
  const networkProxy: ProxySettings = {
    read: async () => ({ own: { ...network }, effective: { ...network, address: network.address ?? '' } }),
    async write(changes) {
      for (const [setting, value] of changes) Object.assign(network, { [setting]: value });
    },
    pointingAt: (address) => ({ address, mode: 'does-not-detect' }),
  };
  const start = (file: TestFile = createTestFile()) => {
    const { log } = createTestLog();
    const dialUp = createDialUpProxies({
      names: () => Object.keys(connections),
      options: () => options,
      announce: () => {
        announced += 1;
      },
    });
    return createSystemProxy({
      settings: createSettings(file),
      run: () => Promise.reject(new Error('no program is asked')),
      env: {},
      desktops: createWindowsProxies({ log }, { network: () => networkProxy, dialUp }),
      log,
    });
  };
  return { start, network, announced: () => announced };
}

const connectionsNow = (): Record<string, ConnectionSettings> => ({
  宽带连接: { flags: direct, script: '' },
  Work: { flags: direct | proxy | detects, script: 'http://old.example/x.pac' },
  Own: { flags: direct | script, script: 'http://wpad.example/proxy.pac' },
});

test('connections that dial in point at the PAC file, too, and have their own settings again afterwards (v2rayN 3875)', async () => {
  const connections = connectionsNow();
  const windows = createWindows(connections);
  const systemProxy = windows.start();
  for (const one of [pac, laterPac]) {
    expect(await systemProxy.use(one)).toBe(true);
    expect(connections).toEqual({
      宽带连接: { flags: direct | script, script: one },
      Work: { flags: direct | proxy | script, script: one },
      Own: { flags: direct | script, script: one },
    });
    expect(windows.network).toEqual({ address: one, mode: 'does-not-detect' });
  }
  await systemProxy.restore();
  expect(connections).toEqual(connectionsNow());
  expect(windows.network).toEqual({ address: null, mode: 'detects' });
  expect(windows.announced()).toBeGreaterThan(0);
});

test('the next start puts back what a killed app has left, also of a connection that is gone from the list', async () => {
  const connections = connectionsNow();
  const windows = createWindows(connections);
  const file = createTestFile();
  await windows.start(file).use(pac);
  delete connections['Own'];
  await windows.start(file).restore();
  const { Own: _, ...left } = connectionsNow();
  expect(connections).toEqual(left);
  expect(file.content.get('proxyBefore') ?? {}).toEqual({});
});

test('a connection whose settings the user has changed meanwhile keeps them', async () => {
  const connections = connectionsNow();
  const windows = createWindows(connections);
  const systemProxy = windows.start();
  await systemProxy.use(pac);
  const users = { flags: direct | script, script: 'http://new.example/y.pac' };
  connections['Work'] = users;
  await systemProxy.restore();
  expect(connections).toEqual({ ...connectionsNow(), Work: users });
});

test('without remote access, Windows has no such connections', () => {
  expect(readPhoneBook('there-is-no-such.dll')).toEqual([]);
});

// The compiler is one of Debian's packages.
describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('a double of the libraries', () => {
  let directory = '';
  let library = '';
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'waymaker-internet-'));
    library = path.join(directory, 'double.so');
    const source = path.join(import.meta.dirname, 'internet-double.c');
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-fshort-wchar', '-o', library, source]);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('is asked for the names of all connections, however many there are', () => {
    expect(readPhoneBook(library)).toEqual(['宽带连接', 'Work']);
  });

  test('keeps what is set for a connection, and gets back the memory that it has given', () => {
    const options = createConnectionOptions({ wininet: library, kernel32: library });
    expect(options.read('宽带连接')).toEqual({ flags: direct, script: '' });
    options.write('宽带连接', { flags: direct | script, script: pac });
    expect(options.read('宽带连接')).toEqual({ flags: direct | script, script: pac });
    options.write('宽带连接', { flags: direct });
    expect(options.read('宽带连接')).toEqual({ flags: direct, script: pac });
    options.write('宽带连接', { flags: direct, script: '' });
    expect(options.read('宽带连接')).toEqual({ flags: direct, script: '' });
    const living = koffi.load(library).func('int double_living(void)') as () => number;
    expect(living()).toBe(0);
  });
});
