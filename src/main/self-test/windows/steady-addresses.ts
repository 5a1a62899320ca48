import { isIPv6 } from 'node:net';

/** Teredo's (RFC 4380 §4), which the system makes anew by itself whenever the way to the internet changes. */
const ofTeredo = /^2001:0{0,4}:/;

/**
 * The addresses of IPv6 that `netsh interface ipv6 show addresses` prints, whatever its language: without their
 * lifetimes, which change every second, and without states, which change soon after an address was added.
 */
export const steadyAddresses = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).at(-1) ?? '')
    .filter((word) => isIPv6(word) && !ofTeredo.test(word))
    .toSorted()
    .join('\n');
