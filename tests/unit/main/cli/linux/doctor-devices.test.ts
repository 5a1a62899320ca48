import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { otherVpns } from '../../../../../src/main/cli/doctor/linux/other-vpns.ts';
import { writeDevices } from '../../support/network-devices.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-devices-'));
  await writeDevices(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const heading = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n';
const defaultBy = (device: string) =>
  `${device}\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n${device}\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n`;

/** Those of these devices that count, where these lead to the internet. */
async function found(names: string[], ...ways: string[]): Promise<string[]> {
  const routes = path.join(folder, 'route');
  await writeFile(routes, heading + ways.map(defaultBy).join(''));
  return otherVpns(names, { folder, routes });
}

test('another VPN is known by what its device is, whatever that is called', async () => {
  expect(await found(['enp3s0', 'mullvad', 'CloudflareWARP', 'wm0'], 'enp3s0')).toEqual([
    'mullvad',
    'CloudflareWARP',
  ]);
  // That of ZeroTier is like those of virtual machines, and in no bridge.
  expect(await found(['ztabcdef01', 'tap100i0', 'docker0'], 'enp3s0')).toEqual(['ztabcdef01']);
});

test('a modem, and what translates addresses, is no VPN', async () => {
  expect(await found(['ppp0'], 'ppp0')).toEqual([]);
  expect(await found(['ppp0'], 'enp3s0'), 'positive control').toEqual(['ppp0']);
  expect(await found(['ppp0'], 'ppp0', 'enp3s0'), 'on top of another network').toEqual(['ppp0']);
  expect(await found(['clat', 'wwan0'], 'wwan0')).toEqual([]);
});
