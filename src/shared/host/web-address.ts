// In every browser and in Node (WHATWG URL §6.1).
declare const URL: {
  parse(url: string): { protocol: string; username: string; password: string; href: string } | null;
};

/**
 * An address of the web as it may be opened; undefined if it is none, such as one that runs something, shows files or
 * starts programs, or if it disguises itself with credentials.
 */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  return url.href;
}
