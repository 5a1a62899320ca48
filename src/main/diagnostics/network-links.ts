import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import type { RunProgram } from '../run-program.ts';
import { isInnerDevice } from './linux/device-kind.ts';
import { isWifiDevice } from './linux/wifi-device.ts';
import { wifiPortsAmong } from './macos/wifi-ports.ts';
import { isWifiName } from './windows/wifi-name.ts';

/** A network device with an address that may lead to the internet. */
export interface Link {
  name: string;
  addresses: readonly string[];
}

/** Tunnels, including ours, are not networks of their own. */
const isNamedAsTunnel = (name: string) => /^(?:tun|tap|utun|wg|wm)\d/.test(name);

/** Neither are the networks of containers and virtual machines. `folder`: where the kernel tells of them, on Linux. */
export function networkLinks({
  interfaces = networkInterfaces(),
  platform = process.platform,
  folder,
}: {
  interfaces?: NodeJS.Dict<NetworkInterfaceInfo[]>;
  platform?: NodeJS.Platform;
  folder?: string;
} = {}): Link[] {
  const isNone = (name: string) =>
    isNamedAsTunnel(name) || (platform === 'linux' && isInnerDevice(name, folder));
  return Object.entries(interfaces).flatMap(([name, found = []]) => {
    const addresses = found
      .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
      .map(({ address }) => address);
    return addresses.length === 0 || isNone(name) ? [] : [{ name, addresses }];
  });
}

type FindWifi = (names: readonly string[], run: RunProgram) => Promise<readonly string[]>;

const findWifiOn: Partial<Record<NodeJS.Platform, FindWifi>> = {
  linux: async (names) => names.filter(isWifiDevice),
  darwin: wifiPortsAmong,
  win32: async (names) => names.filter(isWifiName),
};

/** Which of these devices, that are there now, are Wi-Fi. Never rejects: what is not known is none. */
export const wifiAmong = async (
  names: readonly string[],
  run: RunProgram,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly string[]> => (await findWifiOn[platform]?.(names, run)) ?? [];
