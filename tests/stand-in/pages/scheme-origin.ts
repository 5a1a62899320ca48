/**
 * Chromium asks the system to open a scheme it does not know. So the pages of an app's own scheme live under
 * an https origin that no resolver knows (RFC 6761 §6.4) and whose requests never reach a network.
 */
const suffix = '.scheme.invalid';

/** `waymaker://app/login` → `https://app.waymaker.scheme.invalid/login`, for the schemes of this app. */
export function toChromiumUrl(url: string, schemes: readonly string[]): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url);
  const [, scheme = '', host = '', rest = ''] = match ?? [];
  if (!match || !schemes.includes(scheme)) return url;
  return `https://${host}.${scheme}${suffix}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

/** The way back; any other URL stays as it is. */
export function toAppUrl(url: string): string {
  const match = /^https:\/\/([^/?#]+)\.([a-z][a-z0-9+-]*)\.scheme\.invalid(.*)$/s.exec(url);
  if (!match) return url;
  const [, host = '', scheme = '', rest = ''] = match;
  return `${scheme}://${host}${rest}`;
}

/** The origin as Chromium serialises it for a standard scheme (Node's URL says `null` for unknown ones). */
export function originOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*:\/\/[^/?#]+)/i.exec(url)?.[1] ?? 'null';
}
