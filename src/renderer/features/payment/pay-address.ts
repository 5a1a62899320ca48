import { webAddress } from '#shared/host/web-address.ts';

/**
 * The payment page's address as the browser may be sent there, or undefined. What is typed on it must not
 * be read on the way, so it is https; plain http is for a service that is itself reached that way, as in
 * development, and only for its own address.
 */
export function payAddress(address: string, servicePages: readonly string[]): string | undefined {
  const allowed = webAddress(address);
  if (allowed === undefined) return undefined;
  const { protocol, origin } = new URL(allowed);
  const ofService = servicePages.some((page) => URL.canParse(page) && new URL(page).origin === origin);
  return protocol === 'https:' || ofService ? allowed : undefined;
}
