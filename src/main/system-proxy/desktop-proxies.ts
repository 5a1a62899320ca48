import type { DesktopProxies, DesktopProxiesOptions } from './desktop-proxies-port.ts';
import { createLinuxProxies } from './linux/linux-proxies.ts';

/** A system whose settings this app does not change. */
const noProxies: DesktopProxies = {
  places: [],
  current: () => [],
  at(place) {
    throw new Error(`no proxy settings of ${place} here`);
  },
};

export const desktopProxies = (options: DesktopProxiesOptions): DesktopProxies =>
  process.platform === 'linux' ? createLinuxProxies(options) : noProxies;
