import type { Logger } from 'pino';
import { createInternetOptions } from './internet-options.ts';
import {
  internetSettings as key,
  internetText,
  ofInternetSettings,
  scriptAddress as address,
} from '#node/os/windows/internet-settings.ts';
import { createMachineRegistry, createUserRegistry } from '#node/os/windows/user-registry.ts';
import type { DesktopProxies, DesktopProxiesOptions } from '../desktop-proxies-port.ts';
import type { ProxySettings } from '../proxy-settings.ts';

/** Whether programs look for a PAC file on the network, which they would take before ours (shadowsocks-windows 257). */
type Detection = 'detects' | 'does-not-detect';
const without: Detection = 'does-not-detect';

/** The proxy settings of Windows for this user, which browsers and most programs follow. */
function createInternetSettings(log: Logger): ProxySettings {
  const registry = createUserRegistry();
  const machine = createMachineRegistry();
  const options = createInternetOptions();
  return {
    async read() {
      const own = registry.text(key, address);
      const detection: Detection = options.isDetecting() ? 'detects' : without;
      return {
        own: { address: own ?? null, mode: detection },
        // What an administrator has set comes before that, and the machine's settings where they are not the user's
        // own.
        effective: {
          address: internetText(ofInternetSettings(registry, machine), address) ?? '',
          mode: detection,
        },
      };
    },
    async write(changes) {
      for (const [setting, value] of changes) {
        if (setting === 'mode') options.setDetecting(value === ('detects' satisfies Detection));
        else if (value === null) registry.remove(key, address);
        else registry.setText(key, address, value);
      }
      try {
        options.announce();
      } catch (error) {
        log.warn({ err: error }, 'running programs were not told of the new proxy settings');
      }
    },
    pointingAt: (pacUrl) => ({ address: pacUrl, mode: without }),
  };
}

export function createWindowsProxies({ log }: Pick<DesktopProxiesOptions, 'log'>): DesktopProxies {
  let settings: ProxySettings | undefined;
  return {
    current: () => Promise.resolve(['windows']),
    at(place) {
      if (place !== 'windows') throw new Error(`no proxy settings of ${place} here`);
      return (settings ??= createInternetSettings(log));
    },
  };
}
