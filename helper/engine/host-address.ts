import { isIPv4, isIPv6 } from 'node:net';
import { blockListOf } from '#node/network/block-list.ts';

/** Addresses that cannot be a host's own: RFC 1122 §3.2.1.3, RFC 3927, RFC 5771, RFC 4291 §2.4. */
// Two lists, because a single one would treat an IPv4 address like its IPv4-mapped IPv6 form.
const never = {
  ipv4: ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'],
  ipv6: ['::/128', '::1/128', '::ffff:0:0/96', 'fe80::/10', 'ff00::/8'],
} as const;
const neverAHost4 = blockListOf(never.ipv4);
const neverAHost6 = blockListOf(never.ipv6);

export const isHost4 = (text: string) => isIPv4(text) && !neverAHost4.check(text, 'ipv4');

// isIPv6 accepts a zone index ("%eth0"), but that names a device.
export const isHost6 = (text: string) =>
  isIPv6(text) && !text.includes('%') && !neverAHost6.check(text, 'ipv6');

const networksOf = (prefixes: readonly string[]) =>
  prefixes.map((prefix) => ({ list: blockListOf([prefix]), length: Number(prefix.split('/')[1]) }));
const neverAHost = { ipv4: networksOf(never.ipv4), ipv6: networksOf(never.ipv6) } as const;

/** Whether a prefix of this IP version has only such addresses; false if it is none. */
export function isOfNoHost(prefix: string, family: 'ipv4' | 'ipv6'): boolean {
  const [, address = '', length = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(prefix) ?? [];
  const [isOfFamily, bits] = family === 'ipv4' ? [isIPv4(address), 32] : [isIPv6(address), 128];
  if (!isOfFamily || Number(length) > bits) return false;
  return neverAHost[family].some((one) => Number(length) >= one.length && one.list.check(address, family));
}
