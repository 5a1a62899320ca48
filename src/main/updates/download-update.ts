import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { UpdateFeed } from '#node/manifest/update-feed.ts';
import { hasErrorCode } from '#node/os/error-code.ts';
import { blockMapSuffix, maxBlockMapBytes, readBlockMap, type Block } from './block-map.ts';
import { lockDownloads } from './download-lock.ts';
import { fillPart, isFull, type Filled } from './fill-part.ts';
import type { UpdateSource } from './find-update.ts';
import { planDifference, type Part } from './plan-difference.ts';

export type DownloadProblem =
  | 'unreachable'
  /** Its content is not what was signed. */
  | 'damaged'
  | 'no-room'
  /** Another program of this user is at it. */
  | 'busy';
export type Downloaded = { kind: 'ready'; file: string } | { kind: 'problem'; problem: DownloadProblem };

export interface DownloadOptions {
  /** Only downloads are in it. */
  folder: string;
  /** In bytes. */
  onProgress?: (received: number, size: number) => void;
  signal: AbortSignal;
}

/**
 * Downloads an installer, or goes on where an earlier try has stopped. Of what the one before has, too, nothing is
 * downloaded, if both say of which blocks they are made. In the end there is what the feed says, or nothing; older
 * downloads are removed then.
 */
export async function downloadUpdate(
  source: Pick<UpdateSource, 'url' | 'fetch'>,
  { files: [wanted] }: UpdateFeed,
  { folder, onProgress, signal }: DownloadOptions,
): Promise<Downloaded> {
  const file = path.join(folder, nameOf(wanted));
  const part = `${file}${unfinishedSuffix}`;
  const url = new URL(wanted.url, source.url).href;
  const problem = (what: DownloadProblem): Downloaded => ({ kind: 'problem', problem: what });
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    using lock = await lockDownloads(folder);
    if (!lock) return problem('busy');
    if (await isWhole(file, wanted)) {
      await tidy(folder, path.basename(file), { isAlone: true });
      return { kind: 'ready', file };
    }
    await rm(file, { recursive: true, force: true });
    const previous = await tidy(folder, path.basename(file));
    const whole: Part[] = [{ from: 'server', start: 0, size: wanted.size }];
    const fill = (parts: readonly Part[], old?: string): Promise<Filled> =>
      fillPart({ file: part, size: wanted.size, parts, old, url, fetch: source.fetch, onProgress, signal });
    const difference = await planFor(previous);
    if (difference) {
      const outcome = await fill(difference, previous);
      if (outcome === 'unreachable') return problem(outcome);
      if (outcome === 'filled' && (await isWhole(part, wanted))) return await finish();
      // The blocks were not what their maps said, or there is no room for both.
      await rm(part, { force: true });
    }
    let outcome = await fill(whole);
    if (outcome === 'no-room' && previous !== undefined) {
      await tidy(folder, path.basename(file), { isAlone: true });
      outcome = await fill(whole);
    }
    if (outcome === 'unreachable') return problem(outcome);
    if (outcome === 'filled' && (await isWhole(part, wanted))) return await finish();
    await giveUp();
    return problem(outcome === 'no-room' ? outcome : 'damaged');
  } catch (error) {
    if (!isFull(error)) throw error;
    // Others need the room, too.
    await giveUp();
    return problem('no-room');
  }

  async function giveUp(): Promise<void> {
    for (const one of [part, `${file}${blockMapSuffix}`]) await rm(one, { force: true });
  }

  async function finish(): Promise<Downloaded> {
    await rename(part, file);
    await tidy(folder, path.basename(file), { isAlone: true });
    return { kind: 'ready', file };
  }

  /** What has to be downloaded if there is this file; undefined: everything. */
  async function planFor(previous: string | undefined): Promise<Part[] | undefined> {
    const next = await fetchBlockMap();
    if (!next || previous === undefined) return undefined;
    const old = await open(previous).catch(() => undefined);
    if (!old) return undefined;
    await using handle = old;
    const content = await readFile(`${previous}${blockMapSuffix}`).catch(() => undefined);
    const before = content && (await readBlockMap(content, (await handle.stat()).size));
    return before && planDifference(before, next);
  }

  /** Of which blocks the new file is made, kept beside it for the one after it. Nobody needs it. */
  async function fetchBlockMap(): Promise<Block[] | undefined> {
    try {
      const reply = await source.fetch.stream(`${url}${blockMapSuffix}`, {
        method: 'GET',
        headers: {},
        signal: AbortSignal.any([signal, AbortSignal.timeout(mapMs)]) as never,
      });
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
        length += piece.length;
        if (reply.status !== 200 || length > maxBlockMapBytes) return undefined;
        pieces.push(piece);
      }
      const content = Buffer.concat(pieces);
      const blocks = await readBlockMap(content, wanted.size);
      if (blocks) await writeFile(`${file}${blockMapSuffix}`, content, { mode: 0o600 });
      return blocks;
    } catch (error) {
      if (isFull(error)) throw error;
      signal.throwIfAborted();
      return undefined;
    }
  }
}

const unfinishedSuffix = '.part';
/** How long its map may take, in milliseconds. */
const mapMs = 30_000;

/**
 * Removes what is of no use for a file in a folder: everything but the file itself, in whatever state it is, and unless
 * `isAlone`, a finished one with its blocks, which it resolves with.
 */
async function tidy(folder: string, name: string, { isAlone = false } = {}): Promise<string | undefined> {
  const all = await readdir(folder);
  const others = all.filter(
    (one) => ![name, `${name}${unfinishedSuffix}`, `${name}${blockMapSuffix}`].includes(one),
  );
  const previous = isAlone ? undefined : others.find((one) => others.includes(`${one}${blockMapSuffix}`));
  for (const one of others)
    if (previous === undefined || (one !== previous && one !== `${previous}${blockMapSuffix}`))
      await rm(path.join(folder, one), { recursive: true, force: true });
  return previous && path.join(folder, previous);
}

/** A finished download, if it is still there as it was signed. */
export async function findDownload(
  { files: [wanted] }: UpdateFeed,
  folder: string,
): Promise<string | undefined> {
  const file = path.join(folder, nameOf(wanted));
  return (await isWhole(file, wanted)) ? file : undefined;
}

const nameOf = ({ sha512, url }: { sha512: string; url: string }): string =>
  `${createHash('sha256').update(sha512).digest('hex').slice(0, 16)}-${url}`;

async function isWhole(file: string, { size, sha512 }: { size: number; sha512: string }): Promise<boolean> {
  try {
    await using handle = await open(file);
    if ((await handle.stat()).size !== size) return false;
    const hash = createHash('sha512');
    for await (const piece of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>)
      hash.update(piece);
    return hash.digest('base64') === sha512;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}
