import { isIPv4, isIPv6 } from 'node:net';

/**
 * A network as gateways push it: `10.0.0.0/255.0.0.0`, `10.0.0.0/8`, `2001:db8::/32` or one address. Undefined if it is
 * nothing of that, or its mask has gaps.
 */
export function prefixOf(pushed: string): { family: 'ipv4' | 'ipv6'; prefix: string } | undefined {
  const [address = '', mask, ...more] = pushed.split('/');
  if (more.length > 0) return undefined;
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined;
  if (family === undefined) return undefined;
  const full = family === 'ipv4' ? 32 : 128;
  const length = mask === undefined ? full : lengthOf(mask, full);
  return length === undefined ? undefined : { family, prefix: `${address}/${length}` };
}

function lengthOf(mask: string, full: number): number | undefined {
  if (/^\d{1,3}$/.test(mask)) return Number(mask) <= full ? Number(mask) : undefined;
  if (full !== 32 || !isIPv4(mask)) return undefined;
  const bits = mask
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('');
  return /^1*0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : undefined;
}
