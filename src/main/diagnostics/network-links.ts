import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import type { RunProgram } from '../run-program.ts';
import { isInnerDevice } from './linux/device-kind.ts';
import { isWifiDevice } from './linux/wifi-device.ts';
import { isTunnelName as isMacosTunnelName } from './macos/tunnel-name.ts';
import { wifiPortsAmong } from './macos/wifi-ports.ts';
import { isTunnelName as isWindowsTunnelName } from './windows/tunnel-name.ts';
import { isWifiName } from './windows/wifi-name.ts';

/** A network device with an address that may lead to the internet. */
export interface Link {
  name: string;
  addresses: readonly string[];
}

/**
 * Tunnels, including ours, are not networks of their own; neither are those of containers and virtual machines, as far
 * as that can be told. `folder`: where the kernel tells of devices, on Linux.
 */
const isNoneOn: Partial<Record<NodeJS.Platform, (name: string, folder?: string) => boolean>> = {
  linux: isInnerDevice,
  darwin: isMacosTunnelName,
  win32: isWindowsTunnelName,
};

export function networkLinks({
  interfaces = networkInterfaces(),
  platform = process.platform,
  folder,
}: {
  interfaces?: NodeJS.Dict<NetworkInterfaceInfo[]>;
  platform?: NodeJS.Platform;
  folder?: string;
} = {}): Link[] {
  return Object.entries(interfaces).flatMap(([name, found = []]) => {
    const addresses = found
      .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
      .map(({ address }) => address);
    return addresses.length === 0 || isNoneOn[platform]?.(name, folder) ? [] : [{ name, addresses }];
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
