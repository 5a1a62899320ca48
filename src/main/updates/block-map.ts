import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

/** The file beside an installer that says of which blocks it is made, in the format of electron-builder. */
export const blockMapSuffix = '.blockmap';
/** Of an installer of some hundred megabytes, it has some hundred kilobytes. */
export const maxBlockMapBytes = 8 * 1024 * 1024;
const maxUnpackedBytes = 64 * 1024 * 1024;
const maxBlocks = 1_000_000;

const schema = z.object({
  version: z.literal('2'),
  files: z.tuple([
    z.object({
      offset: z.literal(0),
      /** BLAKE2b of 18 bytes, as base64. */
      checksums: z.array(z.string().check(z.length(24))).check(z.maxLength(maxBlocks)),
      /** In bytes. */
      sizes: z.array(z.int().check(z.positive())).check(z.maxLength(maxBlocks)),
    }),
  ]),
});

export interface Block {
  checksum: string;
  /** In bytes. */
  size: number;
}

/** The blocks of a file of that size, in their order; undefined if the content (gzip) is no map of one. */
export async function readBlockMap(content: Uint8Array, fileSize: number): Promise<Block[] | undefined> {
  try {
    const text = await promisify(gunzip)(content, { maxOutputLength: maxUnpackedBytes });
    const { checksums, sizes } = schema.parse(JSON.parse(text.toString('utf8'))).files[0];
    if (checksums.length !== sizes.length) return undefined;
    const blocks = checksums.map((checksum, index) => ({ checksum, size: sizes[index] ?? 0 }));
    return blocks.reduce((sum, { size }) => sum + size, 0) === fileSize ? blocks : undefined;
  } catch {
    return undefined;
  }
}
