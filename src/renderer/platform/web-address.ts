/**
 * An address of the service's as a page may send the browser there; undefined if it is not one of the web,
 * such as one that runs something in the page, or if it disguises itself with credentials.
 */
export function webAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  return url.href;
}
