import { readFileSync } from 'node:fs';
import { deviceKind } from '../../../diagnostics/linux/device-kind.ts';
import { tunnelDevice } from './tunnel-device.ts';

/** Names that other programs give to their tunnel devices, for those that the kernel does not tell from others. */
const tunnelNames = /^(?:tun|tap|utun|wg|ppp|tailscale|zt|nordlynx|nordtun|proton|ipsec|vpn|gpd|cscotun)/;
/** Devices that only translate between IPv4 and IPv6 (RFC 6877, RFC 6146, RFC 4380). */
const translators = /^(?:clat|nat64|siit|teredo)/;

/**
 * Those of these devices that seem to be another VPN's. A dialled line is one, too, unless it is the only way to the
 * internet, as a modem's is. `routes`: the file of the machine's IPv4 routes (proc_net_route in the kernel).
 */
export function otherVpns(
  names: readonly string[],
  { folder, routes = '/proc/net/route' }: { folder?: string; routes?: string } = {},
): string[] {
  return names.filter((name) => {
    if (name === tunnelDevice || translators.test(name)) return false;
    const { kind, isPort } = deviceKind(name, folder);
    if (isPort) return false;
    if (kind === 'ppp') return !isOnlyWay(name, routes);
    return kind === 'tun' || kind === 'wireguard' || tunnelNames.test(name);
  });
}

function isOnlyWay(name: string, routes: string): boolean {
  const ways = defaultDevices(routes);
  return ways.length > 0 && ways.every((device) => device === name);
}

/** The devices with a default route: of all zeros, with a mask of zeros in the eighth column. */
function defaultDevices(routes: string): string[] {
  return read(routes)
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .map(([device = '']) => device);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
