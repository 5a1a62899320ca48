import { existsSync, readFileSync } from 'node:fs';

/**
 * Kernels can be without it, or have it switched off in the network that this thread is in (Linux,
 * Documentation/networking/ipv6.rst, disable and disable_ipv6).
 */
export const ipv6IsOn = (): boolean =>
  existsSync('/proc/sys/net/ipv6') &&
  readFileSync('/proc/sys/net/ipv6/conf/all/disable_ipv6', 'utf8').trim() === '0';
