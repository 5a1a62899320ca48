import type { RunProgram } from '../../run-program.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { settingsWithoutOwnPac } from '../without-own-pac.ts';
import { exceptionsOf } from '../exceptions-of.ts';
import type { ProxyPlace, ProxySetting } from '../proxy-setting.ts';
import { readScutilProxies } from './scutil-proxies.ts';

/**
 * The proxy settings of macOS. As in other programs, a script comes before a proxy, which counts where the network has
 * none to be found. Where the script is our own, what `before` has of the service counts, of which only that was changed.
 */
export async function readMacosProxy(
  run: RunProgram,
  before: readonly EarlierSettings[],
): Promise<DesktopWay | undefined> {
  const settings = await readScutilProxies(run);
  if (settings === undefined) return undefined;
  const { printed, text, isOn, isDiscovered } = settings;
  const manual = proxySetting();
  if (isDiscovered) return { kind: 'script', address: undefined, ...(manual && { otherwise: manual }) };

  let { script } = settings;
  const own = settingsWithoutOwnPac(script, before);
  if (own) script = own.mode === 'on' ? (own.address ?? undefined) : undefined;
  if (script) return { kind: 'script', address: script };
  return manual ? { kind: 'proxy', ...manual } : { kind: 'direct' };

  function proxySetting(): ProxySetting | undefined {
    const proxy = at('HTTPS', 'http') ?? at('HTTP', 'http') ?? at('SOCKS', 'socks5');
    if (!proxy) return undefined;
    const [, listed = ''] = /^ {2}ExceptionsList : <array> \{\n([^}]*)\}/m.exec(printed) ?? [];
    const written = [...listed.matchAll(/^ *\d+ : (.*)$/gm)].map(([, one = '']) => one);
    return { proxy, exceptions: exceptionsOf(written) };
  }

  function at(kind: 'HTTP' | 'HTTPS' | 'SOCKS', protocol: ProxyPlace['protocol']): ProxyPlace | undefined {
    const [host = '', port] = [text(`${kind}Proxy`), Number(text(`${kind}Port`))];
    return isOn(`${kind}Enable`) && host !== '' && port > 0 && port <= 65_535
      ? { protocol, host, port }
      : undefined;
  }
}
