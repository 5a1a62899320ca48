import { parsePrefix, type Prefix } from '#shared/tunnel/prefix.ts';

/** The same few texts are read for every packet. */
const known = new Map<string, Prefix>();

function read(text: string): Prefix {
  const found = known.get(text) ?? parsePrefix(text);
  if (!found) throw new Error(`not an address: ${text}`);
  known.set(text, found);
  return found;
}

export const numberOf = (address: string): bigint => read(address).first;

export function isInside(address: string, prefix: string): boolean {
  const [inner, outer] = [read(address), read(prefix)];
  if (inner.family !== outer.family || inner.length < outer.length) return false;
  const behind = BigInt((outer.family === 4 ? 32 : 128) - outer.length);
  return inner.first >> behind === outer.first >> behind;
}
