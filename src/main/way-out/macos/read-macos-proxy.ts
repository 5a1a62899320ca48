import type { RunProgram } from '../../run-program.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { exceptionsOf } from '../exceptions-of.ts';
import type { ProxyPlace } from '../proxy-setting.ts';

/**
 * The proxy settings of the network service that macOS uses now, as scutil(8) prints them with the names of
 * SCDynamicStoreCopyProxies (SystemConfiguration, SCSchemaDefinitions.h). As in other programs, a script comes before a
 * proxy. Where it is our own, what `before` has of the service counts, of which only the script was changed.
 */
export async function readMacosProxy(
  run: RunProgram,
  before: readonly EarlierSettings[],
): Promise<DesktopWay | undefined> {
  const printed = await run('scutil', ['--proxy']).catch(() => undefined);
  if (printed === undefined) return undefined;
  const values = new Map<string, string>();
  for (const [, key = '', value = ''] of printed.matchAll(/^ {2}(\w+) : (?!<)(.*)$/gm))
    values.set(key, value);
  const isOn = (name: string) => values.get(name) === '1';

  let script = isOn('ProxyAutoConfigEnable') ? values.get('ProxyAutoConfigURLString') : undefined;
  const earlier = before.find(({ pacUrls }) => script !== undefined && pacUrls.includes(script));
  if (earlier) script = earlier.own.mode === 'on' ? (earlier.own.address ?? undefined) : undefined;
  if (script) return { kind: 'script', address: script };

  const proxy = at('HTTPS', 'http') ?? at('HTTP', 'http') ?? at('SOCKS', 'socks5');
  if (proxy) {
    const [, listed = ''] = /^ {2}ExceptionsList : <array> \{\n([^}]*)\}/m.exec(printed) ?? [];
    const written = [...listed.matchAll(/^ *\d+ : (.*)$/gm)].map(([, one = '']) => one);
    return { kind: 'proxy', proxy, exceptions: exceptionsOf(written) };
  }
  return isOn('ProxyAutoDiscoveryEnable') ? { kind: 'script', address: undefined } : { kind: 'direct' };

  function at(kind: 'HTTP' | 'HTTPS' | 'SOCKS', protocol: ProxyPlace['protocol']): ProxyPlace | undefined {
    const [host = '', port] = [values.get(`${kind}Proxy`), Number(values.get(`${kind}Port`))];
    return isOn(`${kind}Enable`) && host !== '' && port > 0 && port <= 65_535
      ? { protocol, host, port }
      : undefined;
  }
}
