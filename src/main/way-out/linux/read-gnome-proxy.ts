import { proxyCredentials } from '#shared/helper/gateway-session.ts';
import type { RunProgram } from '../../run-program.ts';
import type { ProxyPlace } from '../proxy-setting.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { settingsWithoutOwnPac } from '../without-own-pac.ts';

const schema = 'org.gnome.system.proxy';

/**
 * The proxy settings of GNOME, and of desktops that share them; undefined where they are not installed. Where they
 * point at a script of our own, those from before count.
 */
export async function readGnomeProxy(
  run: RunProgram,
  before?: EarlierSettings,
): Promise<DesktopWay | undefined> {
  const listed = await run('gsettings', ['list-recursively', schema]).catch(() => undefined);
  if (listed === undefined) return undefined;
  const values = new Map<string, string>();
  for (const line of listed.split('\n')) {
    const [, name, key, value] = /^(\S+) (\S+) (.*)$/.exec(line) ?? [];
    if (name && key && value !== undefined) values.set(`${name.slice(schema.length + 1)}.${key}`, value);
  }
  const text = (name: string) => textOf(values.get(name) ?? '');
  const own = settingsWithoutOwnPac(text('.autoconfig-url'), [before]);
  if (own) {
    values.set('.mode', own.mode ?? "'none'");
    values.set('.autoconfig-url', own.address ?? "''");
  }
  const mode = text('.mode');
  if (mode === 'auto') return { kind: 'script', address: text('.autoconfig-url') || undefined };
  if (mode !== 'manual') return { kind: 'direct' };
  const proxy = at('https') ?? at('http') ?? at('socks');
  return proxy
    ? { kind: 'proxy', proxy, exceptions: textsOf(values.get('.ignore-hosts') ?? '') }
    : { kind: 'direct' };

  function at(kind: 'http' | 'https' | 'socks'): ProxyPlace | undefined {
    const host = text(`${kind}.host`);
    const port = Number(values.get(`${kind}.port`) ?? 0);
    if (host === '' || !(port > 0)) return undefined;
    const asked =
      kind === 'http' && values.get('http.use-authentication') === 'true'
        ? proxyCredentials.safeParse({
            username: text('http.authentication-user'),
            password: text('http.authentication-password'),
          })
        : undefined;
    return {
      protocol: kind === 'socks' ? 'socks5' : 'http',
      host,
      port,
      ...(asked?.success && { credentials: asked.data }),
    };
  }
}

/** A string of GVariant's text format; empty if it is none. */
const textOf = (value: string) => textsOf(value)[0] ?? '';

/** The strings in a value of GVariant's text format. */
function textsOf(value: string): string[] {
  const quoted = value.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1'));
}
