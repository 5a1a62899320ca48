import { parseUrl } from '../parse-url.ts';

const openable = new Set(['https:', 'http:', 'mailto:']);

/**
 * The link in a form that may be given to the operating system, or undefined if it must not be: other schemes can start
 * programs, and credentials in an address only serve to disguise it.
 */
export function externalLink(link: string): string | undefined {
  const url = parseUrl(link);
  if (!url || !openable.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
