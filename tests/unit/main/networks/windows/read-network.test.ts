import { expect, onTestFinished, test } from 'vitest';
import type { NetworkAdapter } from '../../../../../src/main/networks/windows/network-adapters.ts';
import type { JoinedNetwork } from '../../../../../src/main/networks/windows/wireless.ts';
import { createPolledNetworks } from '../../../../../src/main/networks/polled-networks.ts';
import { readNetwork } from '../../../../../src/main/networks/windows/read-network.ts';
import type { NetworkInUse } from '../../../../../src/main/networks/networks.ts';

const wifiGuid = '{12345678-9ABC-4DEF-8001-020304050607}';
/** SOCKADDR_IN and SOCKADDR_IN6 of a router. */
const [router4, router6] = ['02000000c0a80701', '17000000fe80'];

const ethernet: NetworkAdapter = {
  guid: '{00000000-0000-4000-8000-000000000002}',
  description: 'Intel(R) Ethernet Connection I219-LM',
  type: 6,
  metrics: { ipv4: 25, ipv6: 25 },
  routers: [router4],
};
const wifi: NetworkAdapter = {
  ...ethernet,
  guid: wifiGuid,
  description: 'Intel(R) Wi-Fi 6 AX201 160MHz',
  type: 71,
  metrics: { ipv4: 35, ipv6: 35 },
};
const home: JoinedNetwork = { ssid: Buffer.from('Zuhause').toString('hex'), isProtected: true };

const read = (adapters: NetworkAdapter[], joined: JoinedNetwork | 'kept-back' | undefined = home) => {
  const asked: string[] = [];
  const found = readNetwork({
    adapters: () => adapters,
    joined(adapter) {
      asked.push(adapter);
      return joined;
    },
  });
  return { ...found, asked };
};

test('a Wi-Fi network has its name, and whether it keeps others out', () => {
  const { network, asked } = read([wifi]);
  expect(network).toEqual({ kind: 'wifi', ...home });
  expect(asked).toEqual(['12345678-9abc-4def-8001-020304050607']);
  expect(read([wifi], { ...home, isProtected: false }).network).toMatchObject({ isProtected: false });
});

test('a network that hides its name, and one whose name Windows keeps back, have none', () => {
  // Windows 11 24H2 without access to the location (ManagedNativeWifi 61, desktop 28 of wgtunnel, yasb 53).
  for (const joined of ['kept-back', { ssid: '', isProtected: false }] as const)
    expect(read([wifi], joined).network).toEqual({ kind: 'wifi', isProtected: false });
});

test('the connection with the lowest metric counts, by IPv6 where there is nothing else', () => {
  expect(read([wifi, ethernet]).network).toEqual({ kind: 'wired' });
  expect(read([{ ...wifi, metrics: { ipv4: 5, ipv6: 35 } }, ethernet]).network.kind).toBe('wifi');
  const only6 = { ...wifi, routers: [router6] };
  expect(read([only6, { ...ethernet, routers: [] }]).network.kind).toBe('wifi');
  // What has a router of IPv4 comes before what has none.
  expect(read([{ ...only6, metrics: { ipv4: 1, ipv6: 1 } }, ethernet]).network.kind).toBe('wired');
});

test('without a router there is no network, and tunnels are none', () => {
  const none = { kind: 'none' };
  expect(read([]).network).toEqual(none);
  expect(read([{ ...ethernet, routers: [] }]).network).toEqual(none);
  const tunnels = [
    { ...ethernet, type: 53, description: 'Waymaker Tunnel' },
    { ...ethernet, description: 'TAP-Windows Adapter V9', metrics: { ipv4: 1, ipv6: 1 } },
    { ...ethernet, description: 'Cisco AnyConnect Virtual Miniport Adapter for Windows x64' },
  ];
  expect(read(tunnels).network).toEqual(none);
  expect(read([...tunnels, wifi]).network.kind).toBe('wifi');
});

test('a phone, a switch of Hyper-V and a mobile network are nothing that a person has plugged in', () => {
  for (const description of [
    'Remote NDIS based Internet Sharing Device',
    'Apple Mobile Device Ethernet',
    'Bluetooth Device (Personal Area Network)',
  ])
    expect(read([{ ...ethernet, description }])).toMatchObject({
      network: { kind: 'other' },
      isMetered: true,
    });
  const modem = { ...ethernet, type: 243, description: 'Generic Mobile Broadband Adapter' };
  expect(read([modem])).toMatchObject({ network: { kind: 'other' }, isMetered: true });
  expect(read([ethernet])).not.toHaveProperty('isMetered');
});

test('Windows is asked whether a network behind a switch of Hyper-V is metered, as about any', async () => {
  for (const description of ['Hyper-V Virtual Ethernet Adapter', 'Microsoft Hyper-V Network Adapter'])
    for (const said of [true, false]) {
      const { network, id, ...limits } = read([{ ...ethernet, description }]);
      expect(network).toEqual({ kind: 'other' });
      const networks = createPolledNetworks(() => Promise.resolve({ network, id, ...limits }), {
        isMetered: () => Promise.resolve(said),
      });
      onTestFinished(() => networks.close());
      expect(await networks.isMetered()).toBe(said);
    }
});

test('networks differ by their names, and where they have none, by their routers', () => {
  const id = (...given: Parameters<typeof read>) => read(...given).id;
  const elsewhere = { ...wifi, routers: ['02000000c0a80801'] };
  // Two access points of one network, with different routers.
  expect(id([elsewhere])).toBe(id([wifi]));
  expect(id([wifi], { ...home, ssid: '41' })).not.toBe(id([wifi]));
  expect(id([wifi], { ...home, isProtected: false })).not.toBe(id([wifi]));
  expect(id([elsewhere], 'kept-back')).not.toBe(id([wifi], 'kept-back'));
  expect(id([{ ...ethernet, routers: ['02000000c0a80801'] }])).not.toBe(id([ethernet]));
});

test('listeners are told of changes only, also after a look has failed', async () => {
  const looks: (NetworkInUse | Error)[] = [
    read([wifi]),
    read([wifi]),
    new Error('not now'),
    read([ethernet]),
  ];
  const networks = createPolledNetworks(
    async () => {
      const [now, ...later] = looks;
      if (later.length > 0) looks.shift();
      if (now instanceof Error) throw now;
      return now && { network: now.network, id: now.id };
    },
    { pauseMs: 1 },
  );
  onTestFinished(() => networks.close());
  const told: (string | undefined)[] = [];
  networks.onChange((now) => told.push(now?.network.kind));
  expect((await networks.watch())?.network.kind).toBe('wifi');
  await expect.poll(() => told).toEqual(['wifi', undefined, 'wired']);
});
