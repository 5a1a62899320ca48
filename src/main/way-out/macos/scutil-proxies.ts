import type { RunProgram } from '../../run-program.ts';

/**
 * The proxy settings of the network service that macOS uses now, as scutil(8) prints them with the names of
 * SCDynamicStoreCopyProxies (SystemConfiguration, SCSchemaDefinitions.h).
 */
export interface ScutilProxies {
  printed: string;
  text: (name: string) => string | undefined;
  isOn: (name: string) => boolean;
  /** The script that counts. */
  script: string | undefined;
  /**
   * Whether macOS looks for one on the network. It then names one as if somebody had set it: the one of DHCP, or else
   * `http://wpad/wpad.dat`, whether or not that is there. Where somebody has set one, it says that it does not look
   * (configd's ip_plugin.c, get_proxies_changes).
   */
  isDiscovered: boolean;
}

/** Undefined if macOS does not say. */
export async function readScutilProxies(run: RunProgram): Promise<ScutilProxies | undefined> {
  const printed = await run('scutil', ['--proxy']).catch(() => undefined);
  if (printed === undefined) return undefined;
  const values = new Map<string, string>();
  for (const [, key = '', value = ''] of printed.matchAll(/^ {2}(\w+) : (?!<)(.*)$/gm))
    values.set(key, value);
  const text = (name: string) => values.get(name);
  const isOn = (name: string) => text(name) === '1';
  return {
    printed,
    text,
    isOn,
    script: isOn('ProxyAutoConfigEnable') ? text('ProxyAutoConfigURLString') : undefined,
    isDiscovered: isOn('ProxyAutoDiscoveryEnable'),
  };
}
