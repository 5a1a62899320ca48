import { parseUrl } from '../parse-url.ts';

/**
 * The link in a form that may be given to the operating system, or undefined if it must not be: other schemes can start
 * programs, and credentials in an address only serve to disguise it.
 */
export const externalLink = (link: string): string | undefined =>
  openableAddress(link, ['https:', 'http:', 'mailto:']);

/** An address of one of these schemes, without credentials, as it is opened; undefined for anything else. */
export function openableAddress(address: string, schemes: readonly string[]): string | undefined {
  const url = parseUrl(address);
  return url && schemes.includes(url.protocol) && url.username + url.password === '' ? url.href : undefined;
}
