import { expect, test } from 'vitest';
import { createSettings } from '../../../../../src/main/preferences/settings.ts';
import type { RunProgram } from '../../../../../src/main/run-program.ts';
import { createSystemProxy } from '../../../../../src/main/system-proxy/system-proxy.ts';
import { createTestFile, type TestFile } from '../../support/key-value-file.ts';
import { createTestLog } from '../../support/log.ts';

const pac = 'http://127.0.0.1:28/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:30/77ab01.pac';

interface Service {
  url: string;
  isOn: boolean;
}

/**
 * networksetup(8) with these services; it does not run here. Its words are those of macOS 14, as others report them.
 */
function createNetworkSetup(services: Record<string, Service>, disabled: readonly string[] = []) {
  const commands: string[] = [];
  const run: RunProgram = (name, args) => {
    const [action = '', service = '', value = ''] = args;
    commands.push([name, ...args].join(' '));
    if (action === '-listallnetworkservices')
      return Promise.resolve(
        [
          'An asterisk (*) denotes that a network service is disabled.',
          ...Object.keys(services),
          ...disabled.map((one) => `*${one}`),
        ].join('\n'),
      );
    const found = services[service];
    if (!found) return Promise.resolve(`${service} is not a recognized network service.`);
    switch (action) {
      case '-getautoproxyurl':
        return Promise.resolve(`URL: ${found.url || '(null)'}\nEnabled: ${found.isOn ? 'Yes' : 'No'}`);
      case '-setautoproxyurl':
        Object.assign(found, { url: value, isOn: true });
        return Promise.resolve('');
      case '-setautoproxystate':
        found.isOn = value === 'on';
        return Promise.resolve('');
      default:
        return Promise.reject(new Error(`networksetup knows no ${action}`));
    }
  };
  return { run, commands };
}

const start = (run: RunProgram, file: TestFile = createTestFile()) =>
  createSystemProxy({
    settings: createSettings(file),
    run,
    env: {},
    platform: 'darwin',
    log: createTestLog().log,
  });

const servicesNow = (): Record<string, Service> => ({
  'Wi-Fi': { url: 'http://wpad.example/proxy.pac', isOn: true },
  'USB 10/100 LAN ': { url: '', isOn: false },
  Thunderbolt: { url: 'http://old.example/x.pac', isOn: false },
});

test('every service points at the PAC file, and has its own settings again afterwards', async () => {
  const services = servicesNow();
  const { run } = createNetworkSetup(services, ['Bluetooth PAN']);
  const proxy = start(run);
  expect(await proxy.use(pac)).toBe(true);
  expect(Object.values(services)).toEqual(Object.keys(services).map(() => ({ url: pac, isOn: true })));
  expect(await proxy.use(laterPac)).toBe(true);
  expect(Object.values(services)).toEqual(Object.keys(services).map(() => ({ url: laterPac, isOn: true })));
  await proxy.restore();
  expect(services).toEqual(servicesNow());
});

test('the next start puts back what a killed app has left', async () => {
  const services = servicesNow();
  const { run } = createNetworkSetup(services);
  const file = createTestFile();
  await start(run, file).use(pac);
  await start(run, file).restore();
  expect(services).toEqual(servicesNow());
  expect(file.content.get('proxyBefore') ?? {}).toEqual({});
});

test('a service whose settings the user has changed meanwhile keeps them, and the others get theirs back', async () => {
  const services = servicesNow();
  const { run } = createNetworkSetup(services);
  const proxy = start(run);
  await proxy.use(pac);
  services['Wi-Fi'] = { url: 'http://new.example/y.pac', isOn: true };
  services['USB 10/100 LAN '] = { url: pac, isOn: false };
  await proxy.restore();
  expect(services).toEqual({
    ...servicesNow(),
    'Wi-Fi': { url: 'http://new.example/y.pac', isOn: true },
    'USB 10/100 LAN ': { url: '', isOn: false },
  });
});

test('settings of a network service that is gone are restored when it is there again', async () => {
  const services = servicesNow();
  const { run } = createNetworkSetup(services);
  const file = createTestFile();
  await start(run, file).use(pac);
  const { Thunderbolt: gone, ...left } = services;
  for (const name of Object.keys(services)) if (!(name in left)) delete services[name];
  await start(run, file).restore();
  if (gone) services['Thunderbolt'] = gone;
  expect(services['Thunderbolt']).toEqual({ url: pac, isOn: true });
  await start(run, file).restore();
  expect(services).toEqual(servicesNow());
});

test('a system without networksetup, or one that fails, is left alone', async () => {
  const { run, commands } = createNetworkSetup({});
  expect(await start(() => Promise.resolve(undefined)).use(pac)).toBe(false);
  expect(await start(() => Promise.reject(new Error('not allowed'))).use(pac)).toBe(false);
  expect(await start(run).use(pac)).toBe(false);
  expect(commands).toEqual(['networksetup -listallnetworkservices']);
});

test('an address that is no PAC file on this machine is never set', async () => {
  const services = servicesNow();
  const { run, commands } = createNetworkSetup(services);
  expect(await start(run).use('http://proxy.example/x.pac')).toBe(false);
  expect(commands).toEqual([]);
});
