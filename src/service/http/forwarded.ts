import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { obfuscatedName, unknownCaller } from './trusted-proxies.ts';

/** The end of a longer header, which the nearest proxies have written, is enough. */
const maxLength = 4096;

/**
 * Writes whom proxies say that they forward for as Fastify reads it, in X-Forwarded-For: bare addresses, without the
 * ports, brackets and quotes of some proxies, and names by which proxies hide addresses (RFC 7239 §6.3). Without
 * X-Forwarded-For, whose last entry is then the proxy's own, it is made of Forwarded (RFC 7239 §4).
 */
export function readForwarded(headers: IncomingHttpHeaders): void {
  const { forwarded } = headers;
  const nodes = textOf(headers['x-forwarded-for']);
  if (nodes !== undefined) {
    headers['x-forwarded-for'] = parts(nodes, 'comma').map(readNode).join(', ');
  } else if (typeof forwarded === 'string') {
    const hops = parts(forwarded, 'comma').map(readHop);
    headers['x-forwarded-for'] = hops.map((hop) => readNode(hop.get('for') ?? '')).join(', ');
    const last = hops.at(-1);
    headers['x-forwarded-proto'] ??= last?.get('proto');
    headers['x-forwarded-host'] ??= last?.get('host');
  }
}

const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join() : header);

/** Separators are no separators in quotes. */
const separated = {
  comma: /(?:"(?:\\.|[^"\\])*"|[^,"]|")+/g,
  semicolon: /(?:"(?:\\.|[^"\\])*"|[^;"]|")+/g,
};

function parts(text: string, separator: keyof typeof separated): string[] {
  const found = text.slice(-maxLength).match(separated[separator]) ?? [];
  return found.map((part) => part.trim()).filter((part) => part !== '');
}

function readHop(hop: string): Map<string, string> {
  return new Map(
    parts(hop, 'semicolon').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim().toLowerCase(), unquoted(value.join('='))];
    }),
  );
}

const unquoted = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/\\(.)/g, '$1')
    .trim();

/** An address or a name, without a port; `unknown` if it is neither. */
function readNode(text: string): string {
  const node = unquoted(text);
  const [, bracketed] = /^\[([^\]]*)\]/.exec(node) ?? [];
  const withoutPort = node.replace(/:[\w.-]*$/, '');
  const candidates = bracketed === undefined ? [node, withoutPort] : [bracketed];
  const isReadable = (candidate: string) => isIP(candidate) !== 0 || obfuscatedName.test(candidate);
  // A zone (RFC 4007 §11) has a meaning on the proxy's machine only.
  return candidates.find(isReadable)?.replace(/%.*$/, '') ?? unknownCaller;
}
