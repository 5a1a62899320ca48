import type { Logger } from 'pino';
import { createConnectionOptions, type ConnectionOptions } from './connection-options.ts';
import { createDialUpProxies } from './dial-up-proxies.ts';
import { createInternetOptions, type InternetOptions } from './internet-options.ts';
import { readPhoneBook } from './phone-book.ts';
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

function announced(options: Pick<InternetOptions, 'announce'>, log: Logger): void {
  try {
    options.announce();
  } catch (error) {
    log.warn({ err: error }, 'running programs were not told of the new proxy settings');
  }
}

/** The proxy settings of Windows for this user, which browsers and most programs follow. */
function createInternetSettings(options: InternetOptions, log: Logger): ProxySettings {
  const registry = createUserRegistry();
  const machine = createMachineRegistry();
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
      announced(options, log);
    },
    pointingAt: (pacUrl) => ({ address: pacUrl, mode: without }),
  };
}

/** Those of the local network, which count while nothing dials in, and those of each connection that does. */
export function createWindowsProxies(
  { log }: Pick<DesktopProxiesOptions, 'log'>,
  parts: { network: () => ProxySettings; dialUp: DesktopProxies } = partsOfWindows(log),
): DesktopProxies {
  let settings: ProxySettings | undefined;
  return {
    current: async () => [ofNetwork, ...(await parts.dialUp.current())],
    at: (place) => (place === ofNetwork ? (settings ??= parts.network()) : parts.dialUp.at(place)),
  };
}

const ofNetwork = 'windows';

function partsOfWindows(log: Logger) {
  let loaded: { connections: ConnectionOptions; internet: InternetOptions } | undefined;
  const libraries = () => (loaded ??= loadLibraries());
  return {
    network: () => createInternetSettings(libraries().internet, log),
    dialUp: createDialUpProxies({
      names: () => readPhoneBook(),
      options: () => libraries().connections,
      announce: () => announced(libraries().internet, log),
    }),
  };
}

function loadLibraries() {
  const connections = createConnectionOptions();
  return { connections, internet: createInternetOptions(connections) };
}
