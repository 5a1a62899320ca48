import { parseUrl } from '../parse-url.ts';

/**
 * A web address that may be opened. Undefined for anything else, such as addresses that run code, show files or start
 * programs, and for addresses that disguise themselves with credentials.
 */
export function webAddress(address: string): string | undefined {
  const url = parseUrl(address);
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  return url.href;
}
