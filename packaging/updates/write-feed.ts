import { createHash, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { signText } from '../../src/node/manifest/signatures.ts';
import {
  feedFile,
  feedSignatureFile,
  readFeed,
  type UpdateFeed,
} from '../../src/node/manifest/update-feed.ts';

/**
 * Puts an installer and its signed feed into a folder that a web server offers; clients see the new feed last. Resolves with
 * the feed's path. With a percentage, only so many of a hundred users get it until the feed is written again.
 */
export async function writeFeed(options: {
  installer: string;
  product: string;
  version: string;
  now: Date;
  percentage?: number | undefined;
  folder: string;
  privateKeys: readonly KeyObject[];
}): Promise<string> {
  const { installer, product, version, now, percentage, folder, privateKeys } = options;
  const hash = createHash('sha512');
  await pipeline(createReadStream(installer), hash);
  const sha512 = hash.digest('base64');
  const name = path.basename(installer);
  const { size } = await stat(installer);
  const feed: UpdateFeed = {
    product,
    version,
    files: [{ url: name, sha512, size }],
    path: name,
    sha512,
    releaseDate: now.toISOString(),
    ...(percentage === undefined ? {} : { stagingPercentage: percentage }),
  };
  const text = `${JSON.stringify(feed, null, 2)}\n`;
  if (!readFeed(text)) throw new Error(`no feed can be made of ${installer}`);
  await mkdir(folder, { recursive: true });
  await copyFile(installer, path.join(folder, name));
  const files = {
    [feedSignatureFile]: signText(Buffer.from(text), 'feed', privateKeys),
    [feedFile]: text,
  };
  for (const [file, content] of Object.entries(files)) {
    await writeFile(path.join(folder, `${file}.new`), content);
    await rename(path.join(folder, `${file}.new`), path.join(folder, file));
  }
  return path.join(folder, feedFile);
}
