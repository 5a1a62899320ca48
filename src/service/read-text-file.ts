import { readFile } from 'node:fs/promises';

/**
 * The text of a file that an operator wrote, in UTF-8, or in UTF-16 if a byte order mark says so, as some editors on
 * Windows write it; without the mark.
 */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readFile(file);
  const [first, second] = bytes;
  const isUtf16 = first === 0xff && second === 0xfe;
  const isBigEndian = first === 0xfe && second === 0xff;
  return new TextDecoder(isUtf16 ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
}
