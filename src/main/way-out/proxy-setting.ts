import { isIP } from 'node:net';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { proxyCredentials } from '#shared/helper/gateway-session.ts';
import { isInsidePrefix, parsePrefix } from '#shared/tunnel/prefix.ts';

/** A proxy as somebody has set it. */
export interface ProxyPlace {
  protocol: ProxyProtocol;
  host: string;
  port: number;
  credentials?: ProxyCredentials | undefined;
}

/** How this computer's programs reach hosts. */
export interface ProxySetting {
  proxy: ProxyPlace;
  /** Hosts that are reached without it: names, which stand for those below them, too, addresses, and prefixes. */
  exceptions: readonly string[];
}

const defaultPorts: Readonly<Record<ProxyProtocol, number>> = { http: 3128, https: 443, socks5: 1080 };
const protocols: Readonly<Record<string, ProxyProtocol>> = {
  'http:': 'http',
  'https:': 'https',
  'socks:': 'socks5',
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
};

/** Reads `http://name:password@proxy.example:3128`, or less of it; undefined if it names no supported kind of proxy. */
export function readProxyUrl(
  text: string,
  usual: ProxyProtocol = 'http',
  usualPort?: number,
): ProxyPlace | undefined {
  const written = text.trim();
  if (written === '') return undefined;
  const whole = encodedLogin(/^[a-z0-9+.-]+:\/\//i.test(written) ? written : `${usual}://${written}`);
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const protocol = protocols[url.protocol];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (protocol === undefined || host === '') return undefined;
  // Where a URL of http names the usual port of web pages, `port` is empty.
  const [, explicit] = /:(\d+)\/*$/.exec(whole) ?? [];
  const unwritten = protocol === 'https' ? defaultPorts.https : (usualPort ?? defaultPorts[protocol]);
  const port = Number(url.port || explicit || unwritten);
  if (port === 0) return undefined;
  return { protocol, host, port, ...withCredentials(url.username, url.password) };
}

/** Many write passwords as they are; a sign that ends the name of a host would make it another one, or none. */
function encodedLogin(url: string): string {
  const [, scheme, login, rest] = /^([^:]+:\/\/)(.*)@([^@]*)$/.exec(url) ?? [];
  if (scheme === undefined || login === undefined || rest === undefined) return url;
  const encoded = login.replaceAll(/%(?![\da-f]{2})/gi, '%25').replaceAll(/[/?#[\]\\ ]/g, encodeURIComponent);
  return `${scheme}${encoded}@${rest}`;
}

function withCredentials(username: string, password: string): Pick<ProxyPlace, 'credentials'> {
  try {
    const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const read = proxyCredentials.safeParse(credentials);
    return read.success ? { credentials: read.data } : {};
  } catch {
    return {};
  }
}

/** Whether this host is reached without the proxy. */
export function isException(host: string, exceptions: readonly string[]): boolean {
  const name = host.toLowerCase();
  return exceptions.some((written) => {
    const exception = written
      .trim()
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1');
    if (exception === '*') return true;
    if (isIP(name) !== 0) {
      return exception === name || (parsePrefix(exception) !== undefined && isInsidePrefix(name, exception));
    }
    const domain = exception.replace(/^\*?\./, '').replace(/\.$/, '');
    return domain !== '' && (name === domain || name.endsWith(`.${domain}`));
  });
}

/** What tells a proxy from others. */
export const placeOf = ({ protocol, host, port }: ProxyPlace): string => `${protocol} ${host} ${port}`;

export const isSameLogin = (one: ProxyCredentials | undefined, other: ProxyCredentials | undefined) =>
  one?.username === other?.username && one?.password === other?.password && one?.realm === other?.realm;
