import type { ProxyPlace } from '../proxy-setting.ts';

/** One of the ways that a script names. */
export type NamedWay = { kind: 'direct' } | { kind: 'proxy'; proxy: ProxyPlace };

const maxWays = 8;
/** Words that name a kind of proxy, and the port where none is written. */
const kinds: Readonly<Record<string, { protocol: ProxyPlace['protocol']; port: number }>> = {
  PROXY: { protocol: 'http', port: 80 },
  HTTP: { protocol: 'http', port: 80 },
  HTTPS: { protocol: 'https', port: 443 },
  SOCKS: { protocol: 'socks5', port: 1080 },
  SOCKS5: { protocol: 'socks5', port: 1080 },
};

/**
 * The ways in a script's answer, such as `PROXY one.example:3128; SOCKS5 two.example; DIRECT`, in the order to try
 * them. Those that are not supported, such as SOCKS4, are left out. Empty: none can be used. An answer of nothing is
 * DIRECT.
 */
export function readScriptAnswer(answer: string): NamedWay[] {
  const written = answer.split(';').map((part) => part.trim());
  const parts = written.filter((part) => part !== '');
  if (parts.length === 0) return [{ kind: 'direct' }];
  return parts.slice(0, maxWays).flatMap((part): NamedWay[] => {
    const [kind = '', place = '', ...more] = part.split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return [{ kind: 'direct' }];
    const known = kinds[kind.toUpperCase()];
    const proxy = known && more.length === 0 ? proxyAt(place, known) : undefined;
    return proxy ? [{ kind: 'proxy', proxy }] : [];
  });
}

function proxyAt(place: string, { protocol, port }: { protocol: ProxyPlace['protocol']; port: number }) {
  const [, bracketed, name = bracketed, written] =
    /^(?:\[([\da-f:]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(place) ?? [];
  const at = written === undefined ? port : Number(written);
  return name === undefined || at < 1 || at > 65_535 ? undefined : { protocol, host: name, port: at };
}
