import { crc32, inflateSync } from 'node:zlib';
import { appIconPixels } from '#shared/constants.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/**
 * Uncompressed bytes of the largest image with an icon's size: four channels of 16 bits, and a filter byte for each
 * row.
 */
const maxPictureBytes = appIconPixels * (1 + appIconPixels * 8);

/**
 * Whether the bytes are exactly one complete PNG image with an icon's size (PNG specification, third edition, §5 and
 * §10).
 */
export function isPngIcon(bytes: Buffer): boolean {
  const chunks = readChunks(bytes);
  const [header] = chunks ?? [];
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13) return false;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  if (width !== appIconPixels || height !== appIconPixels) return false;
  const pictureData = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  return chunks.at(-1)?.type === 'IEND' && inflates(pictureData);
}

/** The chunks after the signature; undefined if they are incomplete. */
function readChunks(bytes: Buffer): { type: string; data: Buffer }[] | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return undefined;
  const chunks = [];
  for (let at = signature.length; at < bytes.length;) {
    if (at + 12 > bytes.length) return undefined;
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) {
      return undefined;
    }
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function inflates(data: Buffer): boolean {
  try {
    return inflateSync(data, { maxOutputLength: maxPictureBytes }).length > appIconPixels;
  } catch {
    return false;
  }
}
