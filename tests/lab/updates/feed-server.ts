import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KeyObject } from 'node:crypto';
import { writeFeed } from '../../../packaging/updates/write-feed.ts';
import { feedProduct } from '../../../src/node/manifest/update-feed.ts';
import { createServiceFetch } from '../../../src/main/http-fetch.ts';
import type { UpdateSource } from '../../../src/main/updates/find-update.ts';

/** A web server on this machine with a feed, and a client of it. */
export interface FeedServer extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  /** Where the client's downloads go. */
  readonly downloads: string;
  /** Breaks connections after so many bytes of a file, once. */
  cutAfter(bytes: number): void;
  /** Sends so many bytes of a file, and the rest once what is returned is called. */
  holdAfter(bytes: number): () => void;
  /** Whether it sends parts of files; it does at first. */
  sendsParts(does: boolean): void;
  /** The bytes of installers that were sent so far. */
  sent(): number;
  /** Publishes an installer with this content. */
  publish(
    version: string,
    options: {
      keys: readonly KeyObject[];
      content?: Buffer;
      now?: Date;
      percentage?: number;
      product?: string;
    },
  ): Promise<void>;
}

const product = feedProduct('win32', 'x64');

export async function startFeedServer(): Promise<FeedServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-feed-'));
  const folder = path.join(directory, 'served');
  let cut: number | undefined;
  let hold: { after: number; released: Promise<void> } | undefined;
  let hasParts = true;
  let sent = 0;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = path.join(folder, path.basename(request.url ?? ''));
    const size = await stat(file).then(
      (status) => status.size,
      () => undefined,
    );
    if (size === undefined) {
      response.writeHead(404).end();
      return;
    }
    const range = hasParts ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') : null;
    const start = Number(range?.[1] ?? 0);
    const end = range?.[2] ? Number(range[2]) : size - 1;
    response.writeHead(range ? 206 : 200, { 'content-length': end - start + 1 });
    const isInstaller = file.endsWith('.exe');
    for await (const piece of createReadStream(file, {
      start,
      end,
      highWaterMark: size > 1e6 ? 65_536 : 1_000,
    })) {
      if (isInstaller && hold && sent >= hold.after) await hold.released;
      if (isInstaller) sent += (piece as Buffer).length;
      const isCut = isInstaller && cut !== undefined && sent >= cut;
      // The kernel delivers what it has by then.
      response.write(piece, () => isCut && response.destroy());
      if (isCut) {
        cut = undefined;
        return;
      }
    }
    response.end();
  }
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    downloads: path.join(directory, 'downloads'),
    cutAfter: (bytes) => (cut = bytes),
    holdAfter(bytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = { after: sent + bytes, released: promise };
      return () => {
        hold = undefined;
        resolve();
      };
    },
    sendsParts: (does) => (hasParts = does),
    sent: () => sent,
    async publish(
      version,
      { keys, content = Buffer.from(`installer ${version}`), now = new Date(), ...more },
    ) {
      const installer = path.join(directory, `waymaker-core-${version}-x64.exe`);
      await writeFile(installer, content);
      await writeFeed({ installer, product, version, now, folder, privateKeys: keys, ...more });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A client with a version installed, which trusts these keys; `seen` may be that of an earlier one. */
export function clientOf(
  { url }: FeedServer,
  trusted: readonly KeyObject[],
  { version = '0.1.0', installation = 'one', seen = rememberedFeed() } = {},
): UpdateSource {
  return { url, product, trusted, version, installation, seen, fetch: createServiceFetch() };
}

export function rememberedFeed(): UpdateSource['seen'] {
  let last: string | undefined;
  return { get: () => last, set: (releaseDate) => (last = releaseDate) };
}
