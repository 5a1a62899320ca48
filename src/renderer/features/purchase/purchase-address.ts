import type { BasicInfo } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { parseUrl } from '#shared/parse-url.ts';

type Links = BasicInfo['links'];

/** How a page of the store knows who buys; without either, by its own session. */
export interface StoreBuyer {
  email?: string;
  /** The code of a hand-over: behind `#`, which browsers do not send. */
  handOver?: string | undefined;
}

/**
 * Whether a page of the store is the service's own, on the same origin as its console, and not an operator's elsewhere.
 */
export function isOwnStore(links: Pick<Links, 'pay_url'>, address: string): boolean {
  const own = parseUrl(links.pay_url)?.origin;
  return webAddress(address) !== undefined && parseUrl(address)?.origin === own;
}

/** The address of a store page for a buyer; undefined if it must not be opened. */
export function purchaseAddress(address: string, { email, handOver }: StoreBuyer): string | undefined {
  const allowed = webAddress(address);
  if (allowed === undefined) return undefined;
  const url = new URL(allowed);
  if (handOver !== undefined) url.hash = `hand-over=${handOver}`;
  else if (email !== undefined) url.searchParams.set('email', email);
  return url.href;
}
