import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, type NetworkInterfaceInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLossWatch } from '../../../../src/main/diagnostics/loss-cause.ts';
import { networkLinks } from '../../../../src/main/diagnostics/network-links.ts';
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
    folder,
  });

test.runIf(process.platform === 'linux')('only what may lead to the internet counts as a network', () => {
  const names = ['enp3s0', 'br0', 'br1', 'ppp0', 'wwan0'];
  expect(linksOf(...names).map(({ name }) => name)).toEqual(names);
  expect(linksOf('docker0', 'mullvad', 'CloudflareWARP', 'ztabcdef01', 'wm0')).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'containers and other VPNs do not hide that the network is gone, and are none that has changed',
  () => {
    let links = linksOf('enp3s0', 'docker0', 'CloudflareWARP');
    const watch = createLossWatch(() => links);
    watch.up();
    links = linksOf('docker0', 'CloudflareWARP');
    expect(watch.cause()).toBe('network-gone');
    links = linksOf('enp3s0');
    expect(watch.cause()).toBe('server-silent');
  },
);
