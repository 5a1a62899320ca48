import type { DesktopProxies, DesktopProxiesOptions } from './desktop-proxies-port.ts';
import { createMacosProxies } from './macos/network-services.ts';
import { createLinuxProxies } from './linux/linux-proxies.ts';
import { createWindowsProxies } from './windows/internet-settings.ts';

/** A system whose settings this app does not change. */
const noProxies: DesktopProxies = {
  current: () => Promise.resolve([]),
  at(place) {
    throw new Error(`no proxy settings of ${place} here`);
  },
};

export function desktopProxies(
  options: DesktopProxiesOptions,
  platform: NodeJS.Platform = process.platform,
): DesktopProxies {
  if (platform === 'linux') return createLinuxProxies(options);
  if (platform === 'darwin') return createMacosProxies(options.run);
  return platform === 'win32' ? createWindowsProxies(options) : noProxies;
}
