import { createUserRegistry, type UserRegistry } from '#node/os/windows/user-registry.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { exceptionsOf } from '../exceptions-of.ts';
import { readProxyUrl, type ProxyPlace } from '../proxy-setting.ts';

const key = String.raw`Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
const policies = String.raw`Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings`;

/**
 * The proxy settings of Windows for this user (WinINET's "Internet options"); what an administrator has set comes first,
 * and a script before a proxy. Where the script is our own, the one from before counts. Scripts that Windows would look
 * for on the network are not looked for, which is its usual setting.
 */
export function readWindowsProxy(
  before: EarlierSettings | undefined,
  registry: Pick<UserRegistry, 'text' | 'number'> = createUserRegistry(),
): DesktopWay {
  const text = (name: string) => registry.text(policies, name) ?? registry.text(key, name) ?? '';
  let script = text('AutoConfigURL');
  if (before?.pacUrls.includes(script) === true) script = before.own.address ?? '';
  if (script !== '') return { kind: 'script', address: script };
  const isOn = (registry.number(policies, 'ProxyEnable') ?? registry.number(key, 'ProxyEnable')) === 1;
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
