/**
 * The sum that the checksums of IP, TCP and UDP are made of (RFC 1071), of two bytes each with the lowest first: the
 * order does not matter as long as it is the same everywhere (§2.B), and this is the machine's.
 */
export function sumOf(view: DataView, start: number, length: number): number {
  const end = start + length;
  let low = 0;
  let high = 0;
  let at = start;
  // Each is below 2³¹ for 64 KB.
  for (; at + 16 <= end; at += 16) {
    const first = view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    const third = view.getInt32(at + 8, true);
    const fourth = view.getInt32(at + 12, true);
    low += (first & 0xffff) + (second & 0xffff) + (third & 0xffff) + (fourth & 0xffff);
    high += (first >>> 16) + (second >>> 16) + (third >>> 16) + (fourth >>> 16);
  }
  for (; at + 2 <= end; at += 2) low += view.getUint16(at, true);
  if (at < end) low += view.getUint8(at);
  return fold(fold(low) + fold(high));
}

/** The same sum in 16 bits; of less than 2³². */
export function fold(sum: number): number {
  const once = (sum & 0xffff) + (sum >>> 16);
  return (once & 0xffff) + (once >>> 16);
}

/** A number as two bytes, the highest first, have it in such a sum. */
export const swapped = (value: number): number => ((value & 0xff) << 8) | ((value >>> 8) & 0xff);

/** What has to be added to take a number away. */
export const without = (value: number): number => ~value & 0xffff;
