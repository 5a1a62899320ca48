import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Fonts and pictures are already compressed. */
const compressible = /\.(?:html|js|css|svg|json)$/;

/**
 * Writes two compressed versions beside every page, script and style sheet in `folder`, as small as possible: a server
 * that compresses while sending has no time for that, and its scripts are a sixth larger.
 */
export async function compressPages(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files.filter((name) => compressible.test(name)).map((name) => compress(path.join(folder, name))),
  );
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const [brotliContent, gzipContent] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotliContent), writeFile(`${file}.gz`, gzipContent)]);
}
