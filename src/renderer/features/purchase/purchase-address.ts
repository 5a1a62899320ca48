import type { BasicInfo } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';

type Links = BasicInfo['links'];

/** How a page of the store learns whom it is for; by neither where its own session says so. */
export interface StoreBuyer {
  email?: string;
  /** The code of a hand-over: behind the `#`, which browsers send to nobody. */
  handOver?: string | undefined;
}

/** Whether a page of the store is the service's own, which is where its console is, and not an operator's elsewhere. */
export function isOwnStore(links: Pick<Links, 'pay_url'>, address: string): boolean {
  const own = URL.parse(links.pay_url)?.origin;
  return webAddress(address) !== undefined && URL.parse(address)?.origin === own;
}

/** The address of a page of the store for a buyer; undefined if it must not be opened. */
export function purchaseAddress(address: string, { email, handOver }: StoreBuyer): string | undefined {
  const allowed = webAddress(address);
  if (allowed === undefined) return undefined;
  const url = new URL(allowed);
  if (handOver !== undefined) url.hash = `hand-over=${handOver}`;
  else if (email !== undefined) url.searchParams.set('email', email);
  return url.href;
}
