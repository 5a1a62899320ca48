import { networkInterfaces } from 'node:os';
import { isWifiDevice } from './linux/wifi-device.ts';
import { isWifiName } from './windows/wifi-name.ts';

/** A network device with an address that may lead to the internet. */
export interface Link {
  name: string;
  isWifi: boolean;
  addresses: readonly string[];
}

/** Tunnels, including ours, are not networks of their own. */
const isTunnel = (name: string) => /^(?:tun|tap|utun|wg|wm)\d/.test(name);

const isWifi = process.platform === 'linux' ? isWifiDevice : isWifiName;

export function networkLinks(): Link[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) => {
    const addresses = found
      .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
      .map(({ address }) => address);
    if (addresses.length === 0 || isTunnel(name)) return [];
    return [{ name, isWifi: isWifi(name), addresses }];
  });
}
