import type { RunProgram } from '../../run-program.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { settingsWithoutOwnPac } from '../without-own-pac.ts';
import { readProxyUrl } from '../proxy-setting.ts';

const place = ['--file', 'kioslaverc', '--group', 'Proxy Settings', '--key'];
/** `ProxyType` (kio, kprotocolmanager.h). */
const types = { none: '0', manual: '1', script: '2', foundScript: '3', environment: '4' } as const;

/**
 * The proxy settings of KDE Plasma; undefined where they are not installed, or are those of the environment. Where they
 * point at a script of our own, those from before count.
 */
export async function readKdeProxy(
  run: RunProgram,
  before?: EarlierSettings,
): Promise<DesktopWay | undefined> {
  const read = async (key: string) =>
    (await run('kreadconfig6', [...place, key])) ?? (await run('kreadconfig5', [...place, key]));
  let type = await read('ProxyType').catch(() => undefined);
  if (type === undefined || type === types.environment) return undefined;
  let script = type === types.script ? await read('Proxy Config Script').catch(() => '') : undefined;
  const own = settingsWithoutOwnPac(script, [before]);
  if (own) {
    type = own.mode ?? types.none;
    script = own.address ?? undefined;
  }
  if (type === types.environment) return undefined;
  if (type === types.script) return { kind: 'script', address: script || undefined };
  if (type === types.foundScript) return { kind: 'script', address: undefined };
  if (type !== types.manual) return { kind: 'direct' };
  const [https = '', socks = '', exceptions = ''] = await Promise.all(
    ['httpsProxy', 'socksProxy', 'NoProxyFor'].map((key) => read(key).catch(() => '')),
  );
  // It writes the port behind a space.
  const url = (written: string) => written.trim().replace(/ +(\d+)$/, ':$1');
  const proxy = readProxyUrl(url(https)) ?? readProxyUrl(url(socks), 'socks5');
  return proxy
    ? { kind: 'proxy', proxy, exceptions: exceptions.split(/[\s,]+/).filter(Boolean) }
    : { kind: 'direct' };
}
