/** The internet's checksum (RFC 1071) of the parts as one, of which an odd last byte counts as if a zero followed. */
export function internetChecksum(...parts: readonly Buffer[]): number {
  let sum = 0;
  const bytes = Buffer.concat(parts);
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
