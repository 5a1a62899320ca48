import { maxRealmChars } from '#shared/helper/gateway-session.ts';

/**
 * The realm of the challenge for Basic authentication (RFC 7617) in Proxy-Authenticate, with those of other schemes
 * beside it (RFC 9110 §11.6.1); empty if it names none. Undefined if there is no such challenge.
 */
export function basicRealm(field: string): string | undefined {
  // What is in quotation marks could look like anything.
  const masked = field.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => `"${'x'.repeat(quoted.length - 2)}"`);
  const begins = /(?:^|,)\s*basic(?=\s|,|$)/i.exec(masked);
  if (!begins) return undefined;
  const start = begins.index + begins[0].length;
  const next = /,\s*[\w-]+(?:\s+[\w-]|\s*(?:,|$))/.exec(masked.slice(start));
  const challenge = field.slice(start, next ? start + next.index : undefined);
  const [, quoted, plain = ''] = /\brealm\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]*))/i.exec(challenge) ?? [];
  return (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain).slice(0, maxRealmChars);
}
