import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, type NetworkInterfaceInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLossWatch } from '../../../../src/main/diagnostics/loss-cause.ts';
import type { RunProgram } from '../../../../src/main/run-program.ts';
import { networkLinks, wifiAmong } from '../../../../src/main/diagnostics/network-links.ts';
import { writeDevices } from '../support/network-devices.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-devices-'));
  await writeDevices(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (address: string): NetworkInterfaceInfo[] => [
  {
    address,
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '02:00:00:00:00:01',
    internal: false,
    cidr: `${address}/24`,
  },
];

const linksOf = (...names: string[]) =>
  networkLinks({
    interfaces: Object.fromEntries(names.map((name, index) => [name, at(`192.0.2.${index + 1}`)])),
    platform: 'linux',
    folder,
  });

test('only what may lead to the internet counts as a network', () => {
  const names = ['enp3s0', 'br0', 'br1', 'ppp0', 'wwan0'];
  expect(linksOf(...names).map(({ name }) => name)).toEqual(names);
  expect(linksOf('docker0', 'mullvad', 'CloudflareWARP', 'ztabcdef01', 'wm0')).toEqual([]);
});

test('containers and other VPNs do not hide that the network is gone, and are none that has changed', () => {
  let links = linksOf('enp3s0', 'docker0', 'CloudflareWARP');
  const watch = createLossWatch({ links: () => links });
  watch.up();
  links = linksOf('docker0', 'CloudflareWARP');
  expect(watch.cause()).toBe('network-gone');
  links = linksOf('enp3s0');
  expect(watch.cause()).toBe('server-silent');
});

test.each<[NodeJS.Platform, string, string[]]>([
  ['win32', 'Ethernet 2', ['Waymaker']],
  ['darwin', 'en5', ['utun4', 'ipsec0', 'feth4823']],
])(
  'our own tunnel and other VPNs do not hide it on %s either, by its own names of them',
  (platform, card, tunnels) => {
    const linksAmong = (...names: string[]) =>
      networkLinks({
        interfaces: Object.fromEntries(names.map((name) => [name, at('192.0.2.1')])),
        platform,
      });
    let links = linksAmong(card, ...tunnels);
    const watch = createLossWatch({ links: () => links, findWifi: async () => [] });
    watch.up();
    links = linksAmong(...tunnels);
    expect(watch.cause()).toBe('network-gone');
  },
);

/** As networksetup(8) of macOS 13 to 26 says it. */
const ports = `
Hardware Port: Thunderbolt Ethernet
Device: en5
Ethernet Address: 00:00:5e:00:53:01

Hardware Port: Wi-Fi
Device: en0
Ethernet Address: 00:00:5e:00:53:03
`;
const onMac: RunProgram = async (name) => (name === '/usr/sbin/networksetup' ? ports : undefined);

test.each<[string, NodeJS.Platform, RunProgram, string[], string[]]>([
  ['macOS, by their ports', 'darwin', onMac, ['en5', 'en0', 'bridge100'], ['en0']],
  ['a Mac that does not say', 'darwin', () => Promise.reject(new Error('it hangs')), ['en0'], []],
  ['a Mac without that program', 'darwin', async () => undefined, ['en0'], []],
  ['Windows, by their names', 'win32', onMac, ['Ethernet 2', 'WLAN', 'Wi-Fi 2'], ['WLAN', 'Wi-Fi 2']],
  ['Linux, by the kernel’s word alone', 'linux', onMac, ['wifi-of-a-name-only', 'en0'], []],
  ['a system that is not supported', 'freebsd', onMac, ['wlan0'], []],
])('which networks are Wi-Fi is known on %s', async (_, platform, run, names, wifi) => {
  expect(await wifiAmong(names, run, platform)).toEqual(wifi);
});

test('on a Mac, too, a tunnel can be lost because Wi-Fi was switched off', async () => {
  const linksOfMac = (...names: string[]) =>
    networkLinks({
      interfaces: Object.fromEntries(names.map((name, index) => [name, at(`192.0.2.${index + 1}`)])),
      platform: 'darwin',
    });
  let links = linksOfMac('en5', 'en0', 'utun4');
  const watch = createLossWatch({
    links: () => links,
    findWifi: (names) => wifiAmong(names, onMac, 'darwin'),
  });
  watch.up();
  await new Promise(setImmediate);
  links = linksOfMac('en5');
  expect(watch.cause()).toBe('wifi-gone');
});
