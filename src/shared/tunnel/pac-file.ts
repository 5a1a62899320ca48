import { readDomains, withoutSubdomains } from './domain-set.ts';
import { packDomains, unpackDomainsSource } from './packed-domains.ts';

interface DomainLists {
  routeDomains: readonly string[];
  blockedDomains: readonly string[];
  /** Names that are not sent to the proxy, unless a longer name of the lists is. */
  directDomains?: readonly string[];
}

export interface PacFileContent extends DomainLists {
  /** The proxy's port on 127.0.0.1. */
  port: number;
}

/**
 * Chromium's limit in bytes (its net/proxy_resolution/pac_file_fetcher_impl.cc). It ignores a longer file and connects
 * directly.
 */
const maxBytes = 1024 * 1024;

/** The PAC file for these lists would be longer than browsers accept. */
export class ListsTooLong extends Error {
  override name = 'ListsTooLong';
}

/**
 * The PAC file. Names in either list go to the proxy, which refuses the blocked ones; everything else goes out
 * directly. There is no DIRECT after the proxy: if the proxy is gone, these names must fail and not go outside the
 * tunnel.
 *
 * It is written in ECMAScript 3, which the PAC engines of all systems support. No listed name ends in a number or
 * contains a colon, so addresses go out directly without a match in the lists.
 *
 * Chromium's resolver interprets it (it runs V8 without its compilers), so that each call counts: a host's name and
 * each name that encloses it cost one look-up in one object, and no regular expression. V8 answers hasOwnProperty for a
 * name that is not there sooner than it reads its value. A name of both lists goes to the proxy.
 */
export function pacFile(content: PacFileContent): string {
  const text = textOf(content);
  // The text is ASCII, so its length is its size in bytes.
  if (text.length > maxBytes) throw new ListsTooLong(`a PAC file of ${text.length} bytes`);
  return text;
}

/** Whether a PAC file can hold these lists, whatever port it has to name. */
export function fitPacFile(lists: DomainLists): boolean {
  return textOf({ ...lists, port: 65_535 }).length <= maxBytes;
}

function textOf({ port, routeDomains, blockedDomains, directDomains = [] }: PacFileContent): string {
  const direct = readDomains(directDomains);
  const proxied = withoutSubdomains(readDomains([...routeDomains, ...blockedDomains]), direct);
  return `${unpackDomainsSource}
var listed = {};
unpack(${packed(direct)}, listed, 'DIRECT');
unpack(${packed(proxied)}, listed, 'SOCKS5 127.0.0.1:${port}; PROXY 127.0.0.1:${port}');
var isOwn = Object.prototype.hasOwnProperty;
function FindProxyForURL(url, host) {
  var name = '.' + host.toLowerCase(), last = name.length - 1, at = 0, below;
  if (name.charAt(last) === '.') name = name.substring(0, last);
  if (name.indexOf('.', 1) < 0) return 'DIRECT';
  for (; at >= 0; at = name.indexOf('.', at + 1)) {
    below = name.substring(at);
    if (isOwn.call(listed, below)) return listed[below];
  }
  return 'DIRECT';
}
`;
}

function packed(domains: Iterable<string>): string {
  // Canonical names contain no character that could end a string; JSON.stringify makes sure of that again.
  const groups = packDomains(domains).map((group) => JSON.stringify(group));
  return `[\n${groups.join(',\n')}\n]`;
}
