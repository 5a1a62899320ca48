import { createHash } from 'node:crypto';
import { open, mkdir, readdir, rename, rm, statfs, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { UpdateFeed } from '#node/manifest/update-feed.ts';
import { lockDownloads } from './download-lock.ts';
import type { UpdateSource } from './find-update.ts';

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

/** The longest pause without a byte, in milliseconds. */
const silenceMs = 30_000;

/**
 * Downloads an installer, or goes on where an earlier try has stopped. In the end there is what the feed says, or
 * nothing; older downloads are removed.
 */
export async function downloadUpdate(
  { url, fetch }: Pick<UpdateSource, 'url' | 'fetch'>,
  { files: [wanted] }: UpdateFeed,
  { folder, onProgress, signal }: DownloadOptions,
): Promise<Downloaded> {
  const file = path.join(folder, nameOf(wanted));
  const name = path.basename(file);
  const part = `${file}.part`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    using lock = await lockDownloads(folder);
    if (!lock) return { kind: 'problem', problem: 'busy' };
    for (const old of await readdir(folder))
      if (old !== name && old !== path.basename(part))
        await rm(path.join(folder, old), { recursive: true, force: true });
    if (await isWhole(file, wanted)) return { kind: 'ready', file };
    await rm(file, { recursive: true, force: true });
    const outcome = await fillPart();
    if (outcome !== 'filled') return { kind: 'problem', problem: outcome };
    if (!(await isWhole(part, wanted))) {
      await rm(part, { force: true });
      return { kind: 'problem', problem: 'damaged' };
    }
    await rename(part, file);
    return { kind: 'ready', file };
  } catch (error) {
    if (!hasCode(error, ['ENOSPC', 'EDQUOT'])) throw error;
    // Others need the room, too.
    await rm(part, { force: true });
    return { kind: 'problem', problem: 'no-room' };
  }

  async function fillPart(): Promise<'filled' | DownloadProblem> {
    await using handle = await open(part, 'a+', 0o600);
    let received = (await handle.stat()).size;
    if (received > wanted.size) {
      await handle.truncate(0);
      received = 0;
    }
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < wanted.size - received) {
      await rm(part, { force: true });
      return 'no-room';
    }
    if (received === wanted.size) return 'filled';
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    try {
      const reply = await fetch.stream(new URL(wanted.url, url).href, {
        method: 'GET',
        headers: received > 0 ? { range: `bytes=${received}-` } : {},
        signal: AbortSignal.any([signal, silence.signal]) as never,
      });
      if (reply.status !== 200 && reply.status !== 206) {
        await (reply.body as unknown as ReadableStream).cancel();
        return 'unreachable';
      }
      // A server that cannot send a part sends everything.
      if (reply.status === 200 && received > 0) {
        await handle.truncate(0);
        received = 0;
      }
      for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
        timer.refresh();
        received += piece.length;
        if (received > wanted.size) return await tooLong(handle);
        await handle.writeFile(piece);
        onProgress?.(received, wanted.size);
      }
    } catch (error) {
      if (hasCode(error, ['ENOSPC', 'EDQUOT'])) throw error;
      signal.throwIfAborted();
      return 'unreachable';
    } finally {
      clearTimeout(timer);
    }
    return received === wanted.size ? 'filled' : 'unreachable';
  }

  async function tooLong(handle: FileHandle): Promise<DownloadProblem> {
    await handle.truncate(0);
    return 'damaged';
  }
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
    if (hasCode(error, ['ENOENT'])) return false;
    throw error;
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
