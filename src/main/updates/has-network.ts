import { networkInterfaces } from 'node:os';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** Addresses that a computer gives itself, and which lead to no internet (RFC 3927, RFC 4291). */
const own = /^(?:169\.254\.|fe80:)/i;

/** Whether it makes sense to ask anybody: this computer has an address in a network, and its traffic is not blocked. */
export function hasNetwork(
  tunnel: TunnelState,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): boolean {
  if (isBlocked(tunnel)) return false;
  return Object.values(interfaces)
    .flat()
    .some((one) => one !== undefined && !one.internal && !own.test(one.address));
}
