import {
  internetPolicies,
  internetSettings,
  internetText,
  ofInternetSettings,
  scriptAddress,
} from '#node/os/windows/internet-settings.ts';
import {
  createMachineRegistry,
  createUserRegistry,
  type ReadRegistry,
} from '#node/os/windows/user-registry.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { settingsWithoutOwnPac } from '../without-own-pac.ts';
import { exceptionsOf } from '../exceptions-of.ts';
import { readProxyUrl, type ProxyPlace } from '../proxy-setting.ts';

/**
 * The proxy settings of Windows for this user (WinINET's "Internet options"), or for the machine where they are not
 * each user's own; what an administrator has set comes first, and a script before a proxy. Where the script is our own,
 * the one from before counts. Scripts that Windows would look for on the network are not looked for, which is its usual
 * setting.
 */
export function readWindowsProxy(
  before: EarlierSettings | undefined,
  user: ReadRegistry = createUserRegistry(),
  machine: ReadRegistry = createMachineRegistry(),
): DesktopWay {
  const registry = ofInternetSettings(user, machine);
  const text = (name: string) => internetText(registry, name) ?? '';
  let script = text(scriptAddress);
  const own = settingsWithoutOwnPac(script, [before]);
  if (own) script = own.address ?? '';
  if (script !== '') return { kind: 'script', address: script };
  const isOn =
    (registry.number(internetPolicies, 'ProxyEnable') ?? registry.number(internetSettings, 'ProxyEnable')) ===
    1;
  const proxy = isOn ? proxyIn(text('ProxyServer')) : undefined;
  if (!proxy) return { kind: 'direct' };
  return { kind: 'proxy', proxy, exceptions: exceptionsOf(text('ProxyOverride').split(/[;\s]+/)) };
}

/** The default port of a proxy that Windows has none for. */
const usualPort = 80;

/** `proxy.example:3128` for everything, or `http=…;https=…;socks=…`. */
function proxyIn(written: string): ProxyPlace | undefined {
  const places = new Map<string, string>();
  for (const one of written.split(/[;\s]+/).filter(Boolean)) {
    const [, scheme = '', place = ''] = /^(?:(\w+)=)?(.*)$/.exec(one) ?? [];
    places.set(scheme.toLowerCase(), place);
  }
  const all = places.get('') ?? places.get('https') ?? places.get('http');
  if (all !== undefined) return readProxyUrl(all, 'http', usualPort);
  return readProxyUrl(places.get('socks') ?? '', 'socks5');
}
