import { readdirSync, readFileSync } from 'node:fs';

const settings = '/proc/sys/net/ipv4/conf';

/**
 * Whether some device takes no packet of IPv4 whose answer would leave by another one. The larger of a device's own
 * setting and that of all counts (Linux, Documentation/networking/ip-sysctl.rst, rp_filter).
 */
export function isReversePathStrict(): boolean {
  const valueOf = (device: string) => Number(readFileSync(`${settings}/${device}/rp_filter`, 'utf8'));
  try {
    const all = valueOf('all');
    return readdirSync(settings).some((device) => Math.max(all, valueOf(device)) === 1);
  } catch {
    // A device that has just gone: rules too many are harmless.
    return true;
  }
}
