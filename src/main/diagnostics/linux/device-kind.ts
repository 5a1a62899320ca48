import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where the kernel tells of its network devices (Linux, Documentation/ABI/testing/sysfs-class-net). */
const usualFolder = '/sys/class/net';

/** <linux/if_tun.h>, IFF_TUN and IFF_TAP, and <linux/if_arp.h>, ARPHRD_PPP. */
const tunFlag = 1;
const tapFlag = 2;
const pppType = '512';

/**
 * What a network device is, whatever it is called: a tunnel for packets (`tun`) or frames (`tap`, which virtual
 * machines have, too), WireGuard, a dialled line, which may be a modem as well as a VPN, a bridge that nothing outside
 * this machine is in, or something else, such as a network card. `isPort`: whether it is in a bridge.
 */
export interface DeviceKind {
  kind: 'tun' | 'tap' | 'wireguard' | 'ppp' | 'inner-bridge' | 'other';
  isPort: boolean;
}

export function deviceKind(name: string, folder = usualFolder): DeviceKind {
  const at = (...parts: string[]) => path.join(folder, name, ...parts);
  const flags = Number(read(at('tun_flags')) || '0');
  const isPort = existsSync(at('master')) && existsSync(at('brport'));
  if ((flags & tapFlag) !== 0) return { kind: 'tap', isPort };
  if ((flags & tunFlag) !== 0) return { kind: 'tun', isPort };
  if (/^DEVTYPE=wireguard$/m.test(read(at('uevent')))) return { kind: 'wireguard', isPort };
  if (read(at('type')) === pppType) return { kind: 'ppp', isPort };
  const isInner = existsSync(at('bridge')) && !list(at('brif')).some((port) => leadsOut(port, folder));
  return { kind: isInner ? 'inner-bridge' : 'other', isPort };
}

const otherThanNetworks: readonly DeviceKind['kind'][] = ['tun', 'tap', 'wireguard', 'inner-bridge'];

/** Whether it is a tunnel, or leads to nothing but what runs on this machine, whatever its name. */
export const isInnerDevice = (name: string, folder?: string): boolean =>
  otherThanNetworks.includes(deviceKind(name, folder).kind);

/** Whether a bridge's port is hardware, or stands on another device, as a VLAN or a bond does. */
const leadsOut = (port: string, folder: string) =>
  existsSync(path.join(folder, port, 'device')) ||
  list(path.join(folder, port)).some((entry) => entry.startsWith('lower_'));

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
