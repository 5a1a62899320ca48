import { createHash } from 'node:crypto';
import { readDomains, withoutSubdomains } from './domain-set.ts';
import { packDomains, unpackDomainsSource } from './packed-domains.ts';

export interface PacFileContent {
  /** The proxy's port on 127.0.0.1. */
  port: number;
  routeDomains: readonly string[];
  blockedDomains: readonly string[];
}

/**
 * Chromium takes no longer one, in bytes (its net/proxy_resolution/pac_file_fetcher_impl.cc), and goes out directly
 * instead.
 */
const mostBytes = 1024 * 1024;

/** Lists that make no PAC file that browsers would follow. */
export class ListsTooLong extends Error {
  override name = 'ListsTooLong';
}

/**
 * The PAC file: names in either list go to the proxy, which refuses the blocked ones; the rest goes direct.
 * There is no DIRECT behind the proxy: when it is gone, its names must fail and not leave the tunnel.
 *
 * In the language of ECMAScript 3, which all systems' PAC engines know. No name in the lists ends in a number
 * or has a colon, so addresses go direct without being looked for.
 */
export function pacFile({ port, routeDomains, blockedDomains }: PacFileContent): string {
  const proxied = withoutSubdomains(readDomains([...routeDomains, ...blockedDomains]));
  // Canonical names have no character that could end a string; JSON makes sure of it once more.
  const groups = packDomains(proxied).map((group) => JSON.stringify(group));
  const text = `${unpackDomainsSource}
var proxied = unpack([
${groups.join(',\n')}
]);
var isOwn = Object.prototype.hasOwnProperty;
function FindProxyForURL(url, host) {
  var name = '.' + host.toLowerCase().replace(/\\.$/, ''), at = 0;
  if (name.indexOf('.', 1) < 0) return 'DIRECT';
  for (; at >= 0; at = name.indexOf('.', at + 1)) {
    if (isOwn.call(proxied, name.substring(at))) return 'SOCKS5 127.0.0.1:${port}; PROXY 127.0.0.1:${port}';
  }
  return 'DIRECT';
}
`;
  // All of it is ASCII.
  if (text.length > mostBytes) throw new ListsTooLong(`a PAC file of ${text.length} bytes`);
  return text;
}

/**
 * Where a PAC file is served: browsers read one again only if its address is another. Short, since people may have
 * to copy it.
 */
export function pacFilePath(text: string): string {
  return `/${createHash('sha256').update(text).digest('hex').slice(0, 16)}.pac`;
}
