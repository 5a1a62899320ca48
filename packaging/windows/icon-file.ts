import { readFile } from 'node:fs/promises';
import { iconFile } from '../desktop/icons.ts';

/** What Windows asks for between a list's row and a large tile, in pixels. */
const sizes = [16, 24, 32, 48, 64, 128, 256] as const;

const headerBytes = 6;
const entryBytes = 16;
const bitsPerPixel = 32;

/** The app's icon as Windows wants it: our PNG files in one (ICONDIR and ICONDIRENTRY; PNG since Windows Vista). */
export async function windowsIcon(): Promise<Buffer> {
  const pictures = await Promise.all(sizes.map((size) => readFile(iconFile(size))));
  const header = Buffer.alloc(headerBytes + entryBytes * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = header.length;
  for (const [index, picture] of pictures.entries()) {
    const entry = headerBytes + entryBytes * index;
    // A byte each; 0 is 256.
    const size = (sizes[index] ?? 0) % 256;
    header.writeUInt8(size, entry);
    header.writeUInt8(size, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(bitsPerPixel, entry + 6);
    header.writeUInt32LE(picture.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += picture.length;
  }
  return Buffer.concat([header, ...pictures]);
}
