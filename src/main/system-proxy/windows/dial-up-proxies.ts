import type { DesktopProxies } from '../desktop-proxies-port.ts';
import type { ProxySettings } from '../proxy-settings.ts';
import { connectionConstants, type ConnectionOptions } from './connection-options.ts';

const { PROXY_TYPE_AUTO_PROXY_URL, PROXY_TYPE_AUTO_DETECT } = connectionConstants;
const ofScripts = PROXY_TYPE_AUTO_PROXY_URL | PROXY_TYPE_AUTO_DETECT;

const prefix = 'dial-up:';

/**
 * Connections that dial in (PPPoE, modems) and VPNs that Windows itself makes: while one is up, programs follow the
 * proxy settings of that connection, and not those of the local network (v2rayN 3875, clash-verge 833).
 */
export function createDialUpProxies(parts: {
  names: () => readonly string[];
  options: () => ConnectionOptions;
  announce: () => void;
}): DesktopProxies {
  const { names, options, announce } = parts;
  return {
    current: () => Promise.resolve(names().map((name) => `${prefix}${name}`)),
    at(place) {
      if (!place.startsWith(prefix)) throw new Error(`no proxy settings of ${place} here`);
      return createConnectionProxy(options(), place.slice(prefix.length), announce);
    },
  };
}

/** The mode is the flags that concern scripts: one that is named, and one that is looked for on the network. */
function createConnectionProxy(
  options: ConnectionOptions,
  connection: string,
  announce: () => void,
): ProxySettings {
  return {
    async read() {
      const { flags, script } = options.read(connection);
      const mode = String(flags & ofScripts);
      return { own: { address: script === '' ? null : script, mode }, effective: { address: script, mode } };
    },
    async write(changes) {
      const wanted = new Map(changes);
      const before = options.read(connection);
      const mode = wanted.get('mode');
      const address = wanted.get('address');
      options.write(connection, {
        flags: mode === undefined ? before.flags : (before.flags & ~ofScripts) | (Number(mode) & ofScripts),
        script: address === undefined ? before.script : (address ?? ''),
      });
      announce();
    },
    pointingAt: (pacUrl) => ({ address: pacUrl, mode: String(PROXY_TYPE_AUTO_PROXY_URL) }),
  };
}
