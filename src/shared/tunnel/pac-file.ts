import { readDomains, withoutSubdomains } from './domain-set.ts';
import { packDomains, unpackDomainsSource } from './packed-domains.ts';

interface DomainLists {
  routeDomains: readonly string[];
  blockedDomains: readonly string[];
  /** Names that go direct, unless a longer one of the lists does not. */
  directDomains?: readonly string[];
}

export interface PacFileContent extends DomainLists {
  /** The proxy's port on 127.0.0.1. */
  port: number;
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
export function pacFile(content: PacFileContent): string {
  const text = textOf(content);
  // All of it is ASCII.
  if (text.length > mostBytes) throw new ListsTooLong(`a PAC file of ${text.length} bytes`);
  return text;
}

/** Whether there can be a PAC file for these lists, whatever port it has to name. */
export function fitPacFile(lists: DomainLists): boolean {
  return textOf({ ...lists, port: 65_535 }).length <= mostBytes;
}

function textOf({ port, routeDomains, blockedDomains, directDomains = [] }: PacFileContent): string {
  const direct = readDomains(directDomains);
  const proxied = withoutSubdomains(readDomains([...routeDomains, ...blockedDomains]), direct);
  return `${unpackDomainsSource}
var proxied = ${unpacked(proxied)};
var direct = ${unpacked(direct)};
var isOwn = Object.prototype.hasOwnProperty;
function FindProxyForURL(url, host) {
  var name = '.' + host.toLowerCase().replace(/\\.$/, ''), at = 0;
  if (name.indexOf('.', 1) < 0) return 'DIRECT';
  for (; at >= 0; at = name.indexOf('.', at + 1)) {
    if (isOwn.call(proxied, name.substring(at))) return 'SOCKS5 127.0.0.1:${port}; PROXY 127.0.0.1:${port}';
    if (isOwn.call(direct, name.substring(at))) return 'DIRECT';
  }
  return 'DIRECT';
}
`;
}

function unpacked(domains: Iterable<string>): string {
  // Canonical names have no character that could end a string; JSON makes sure of it once more.
  const groups = packDomains(domains).map((group) => JSON.stringify(group));
  return `unpack([\n${groups.join(',\n')}\n])`;
}
