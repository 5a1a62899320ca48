import { readdirSync, readFileSync } from 'node:fs';

const settings = '/proc/sys/net';

function isSet(name: string): boolean {
  try {
    return readFileSync(`${settings}/${name}`, 'utf8').trim() !== '0';
  } catch {
    // There is no such setting, or no such device any more.
    return false;
  }
}

function devices(): string[] {
  try {
    return readdirSync(`${settings}/ipv4/conf`);
  } catch {
    return [];
  }
}

/** Whether the kernel forwards packets at all, if only those from some of its links (for containers, for example). */
export const isForwarding = (): boolean => isSet('ipv6/conf/all/forwarding') || forwardsFromAny(devices());

/** IPv6 forwards from all links or none, unless one is forced to (Linux, ip-sysctl.rst, force_forwarding). */
const forwardsFromAny = (links: readonly string[]) =>
  links.some((link) => isSet(`ipv4/conf/${link}/forwarding`) || isSet(`ipv6/conf/${link}/force_forwarding`));

/**
 * Whether IPv4 packets that others may get through `device` would stay on it: other links forward, and this one does
 * not, since new ones are made with the value of `default`.
 */
export const lacksForwarding = (device: string): boolean =>
  !isSet(`ipv4/conf/${device}/forwarding`) &&
  devices().some((link) => link !== 'default' && isSet(`ipv4/conf/${link}/forwarding`));
