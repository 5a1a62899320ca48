import { webAddress } from '#shared/host/web-address.ts';

/** The purchase page, with its email field filled in. */
export function purchaseAddress(address: string, email: string): string | undefined {
  const allowed = webAddress(address);
  if (allowed === undefined) return undefined;
  const url = new URL(allowed);
  url.searchParams.set('email', email);
  return url.href;
}
