import { createHash, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { buildBlockMap } from 'app-builder-lib/out/targets/blockmap/blockmap.js';
import { blockMapSuffix } from '../../src/main/updates/block-map.ts';
import { signText } from '../../src/node/manifest/signatures.ts';
import { feedFile, joinFeed, readFeed, type UpdateFeed } from '../../src/node/manifest/update-feed.ts';

/**
 * Puts an installer and its signed feed into a folder that a web server offers. Whoever reads it meanwhile finds the
 * feed of before or this one, and always the whole of what it names. Other content under the name of an installer that
 * is there is refused: others may have begun to download it. Resolves with the feed's path. With a percentage, only so
 * many of a hundred users get it until the feed is written again.
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
  const sha512 = await sha512Of(installer);
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
  const text = JSON.stringify(feed, null, 2);
  if (!readFeed(text)) throw new Error(`no feed can be made of ${installer}`);
  await mkdir(folder, { recursive: true });
  const offered = path.join(folder, name);
  const before = await sha512Of(offered).catch(() => undefined);
  if (before !== undefined && before !== sha512)
    throw new Error(`${offered} is another file: a version is published once`);
  // Nobody needs to trust it: what is put together by it is compared with what was signed.
  await put(
    `${offered}${blockMapSuffix}`,
    async (file) => void (await buildBlockMap(installer, 'gzip', file)),
  );
  if (before === undefined) await put(offered, (file) => copyFile(installer, file));
  const content = joinFeed(text, signText(Buffer.from(text), 'feed', privateKeys));
  const feedPath = path.join(folder, feedFile);
  await put(feedPath, (file) => writeFile(file, content));
  return feedPath;
}

/** Makes a file that is there as a whole, or not at all, also after a power cut. */
async function put(file: string, write: (file: string) => Promise<void>): Promise<void> {
  const made = `${file}.new`;
  try {
    await write(made);
    await using written = await open(made);
    await written.sync();
    await rename(made, file);
  } finally {
    await rm(made, { force: true });
  }
}

async function sha512Of(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64');
}
