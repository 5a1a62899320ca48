import type { IncomingMessage } from 'node:http';

/**
 * The path and query that a request asks for, written in one way, so that everything that compares paths sees what the
 * router sees: without the origin of an absolute target, whose host precedes the Host field (RFC 9112 §3.2.2), and with
 * letters that nobody has to encode as themselves (RFC 3986 §6.2.2.2). Whatever else the router would refuse by itself,
 * before limits and headers, becomes what is not there: what is no path (`OPTIONS *`), and a path that cannot be
 * decoded, which is asked for as if its percent signs were meant.
 */
export function readTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const target = originForm(request);
  const [path = ''] = target.split('?', 1);
  const read = path.replace(/%[0-9a-f]{2}/gi, decodedIfPlain);
  return (isDecodable(read) ? read : read.replaceAll('%', '%25')) + target.slice(path.length);
}

/** Whether a target that `readTarget` has read is of the API. */
export const isApiPath = (target: string): boolean => /^\/api(?:[/?]|$)/.test(target);

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function originForm(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const { url = '/', headers } = request;
  const [, host, rest = url] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
  if (host !== undefined) headers.host = host;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function decodedIfPlain(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : encoded;
}

/** Whether a request has several Host fields: then proxies and the service may disagree (RFC 9112 §3.2). */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}
