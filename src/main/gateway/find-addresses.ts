import { lookup } from 'node:dns/promises';

/**
 * As programs look names up. Without addresses that mean something on one link alone (RFC 4007 §11), which have a zone.
 * Rejects if there is no answer, or an empty one.
 */
export async function findAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address).filter((address) => !address.includes('%'));
}
