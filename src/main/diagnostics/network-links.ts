import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { deviceKind } from './linux/device-kind.ts';
import { isWifiDevice } from './linux/wifi-device.ts';
import { isWifiName } from './windows/wifi-name.ts';

/** A network device with an address that may lead to the internet. */
export interface Link {
  name: string;
  isWifi: boolean;
  addresses: readonly string[];
}

/**
 * Tunnels, including ours, are not networks of their own, and neither are those of containers and virtual machines. On
 * Linux, the kernel says what a device is.
 */
const isNone = (name: string, folder: string | undefined) =>
  /^(?:tun|tap|utun|wg|wm)\d/.test(name) ||
  (process.platform === 'linux' &&
    ['tun', 'tap', 'wireguard', 'inner-bridge'].includes(deviceKind(name, folder).kind));

const isWifi = process.platform === 'linux' ? isWifiDevice : isWifiName;

/** `folder`: where the kernel tells of them, on Linux. */
export function networkLinks({
  interfaces = networkInterfaces(),
  folder,
}: { interfaces?: NodeJS.Dict<NetworkInterfaceInfo[]>; folder?: string } = {}): Link[] {
  return Object.entries(interfaces).flatMap(([name, found = []]) => {
    const addresses = found
      .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
      .map(({ address }) => address);
    if (addresses.length === 0 || isNone(name, folder)) return [];
    return [{ name, isWifi: isWifi(name), addresses }];
  });
}
