import { parseUrl } from '../parse-url.ts';

/**
 * Labels of RFC 1123 §2.1, with the underscore that real host names have. The last label begins with a letter, so that
 * no spelling of an IPv4 address (`127.1`, `0x7f.1`) counts as a name.
 */
export const canonicalDomain =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Everything but what a URL would take for the end of a host, or for an escape. */
// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const unicodeName = /^(?:[A-Za-z0-9._-]|[^\x00-\x7f])+$/;

/**
 * A domain name in the form in which names are compared: lower case, Punycode (RFC 3492, as in URLs), without a final
 * dot; undefined if the text is not a domain name. The result contains only `a-z`, `0-9`, `.`, `-` and `_`.
 */
export function canonicalName(text: string): string | undefined {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (canonicalDomain.test(name)) return name;
  if (name.length > 1024 || !unicodeName.test(name)) return undefined;
  const ascii = parseUrl(`http://${name}`)?.hostname;
  return ascii !== undefined && canonicalDomain.test(ascii) ? ascii : undefined;
}

/**
 * A host as programs name it, such as resolvers, TLS and addresses: a Unicode name becomes Punycode, and everything
 * else stays as it is.
 */
export const asciiHost = (host: string): string =>
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant
  /[^\x00-\x7f]/.test(host) ? (canonicalName(host) ?? host) : host;

/** The domain that a list entry means: `example.com`, `.example.com` and `*.example.com` are the same. */
export function listedDomain(entry: string): string | undefined {
  return canonicalName(entry.trim().replace(/^\*?\./, ''));
}

/** A canonical name and all domains above it, the name itself first. */
export function* enclosingDomains(name: string): Generator<string, void> {
  for (let start = 0; start >= 0;) {
    yield name.slice(start);
    const dot = name.indexOf('.', start);
    start = dot < 0 ? -1 : dot + 1;
  }
}
