import type { DesktopProxies, DesktopProxiesOptions } from './desktop-proxies-port.ts';
import { createLinuxProxies } from './linux/linux-proxies.ts';
import { createWindowsProxies } from './windows/internet-settings.ts';

/** A system whose settings this app does not change. */
const noProxies: DesktopProxies = {
  places: [],
  current: () => [],
  at(place) {
    throw new Error(`no proxy settings of ${place} here`);
  },
};

export function desktopProxies(options: DesktopProxiesOptions): DesktopProxies {
  if (process.platform === 'linux') return createLinuxProxies(options);
  return process.platform === 'win32' ? createWindowsProxies(options) : noProxies;
}
