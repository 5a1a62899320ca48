import { webAddress } from '#shared/host/web-address.ts';
import { parseUrl } from '#shared/parse-url.ts';

/**
 * The payment page's address, if the browser may be sent there, or undefined. What is typed there must not be readable
 * on the way, so it must be https. Plain http is only allowed for the service's own address, if the service itself is
 * reached that way, as in development.
 */
export function payAddress(address: string, servicePages: readonly string[]): string | undefined {
  const allowed = webAddress(address);
  if (allowed === undefined) return undefined;
  const { protocol, origin } = new URL(allowed);
  const ofService = servicePages.some((page) => parseUrl(page)?.origin === origin);
  return protocol === 'https:' || ofService ? allowed : undefined;
}
