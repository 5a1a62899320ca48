import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Devices as the kernel shows them below /sys/class/net, as far as what they are is concerned; written down from a
 * machine that has them.
 */
export async function writeDevices(folder: string): Promise<void> {
  const files: Record<string, string> = {
    'enp3s0/type': '1\n',
    'enp3s0/device/vendor': '0x8086\n',
    'wm0/type': '65534\n',
    'wm0/tun_flags': '0x5001\n',
    'mullvad/type': '65534\n',
    'mullvad/uevent': 'DEVTYPE=wireguard\nINTERFACE=mullvad\n',
    'CloudflareWARP/type': '65534\n',
    'CloudflareWARP/tun_flags': '0x1001\n',
    'clat/type': '65534\n',
    'clat/tun_flags': '0x1001\n',
    'ppp0/type': '512\n',
    'wwan0/type': '65534\n',
    'wwan0/uevent': 'DEVTYPE=wwan\nINTERFACE=wwan0\n',
    'tap100i0/tun_flags': '0x1002\n',
    'tap100i0/master/type': '1\n',
    'tap100i0/brport/state': '3\n',
    'ztabcdef01/tun_flags': '0x1002\n',
    'docker0/bridge/stp_state': '0\n',
    'docker0/brif/veth1a2b/state': '3\n',
    'veth1a2b/type': '1\n',
    'br0/bridge/stp_state': '0\n',
    'br0/brif/enp3s0/state': '3\n',
    'br1/bridge/stp_state': '0\n',
    'br1/brif/enp3s0.7/state': '3\n',
    'enp3s0.7/lower_enp3s0/type': '1\n',
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
