import { readdirSync, readFileSync } from 'node:fs';

const settings = '/proc/sys/net/ipv4/conf';

/**
 * Whether a device drops IPv4 packets whose answer would leave through another device. The larger one of the device's
 * setting and that of `all` applies (Linux, Documentation/networking/ip-sysctl.rst, rp_filter).
 */
export function isReversePathStrict(): boolean {
  const valueOf = (device: string) => Number(readFileSync(`${settings}/${device}/rp_filter`, 'utf8'));
  try {
    const all = valueOf('all');
    return readdirSync(settings).some((device) => Math.max(all, valueOf(device)) === 1);
  } catch {
    // The device has just disappeared; additional rules are harmless.
    return true;
  }
}
