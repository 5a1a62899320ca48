import { open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { ServiceFetch } from '../http-fetch.ts';
import type { Part } from './plan-difference.ts';

export interface FillOptions {
  /** The unfinished file. */
  file: string;
  /** In bytes, once it is finished. */
  size: number;
  /** Of which parts it is put together. */
  parts: readonly Part[];
  /** What `old` parts are taken from. */
  old?: string | undefined;
  /** Of the file on the server. */
  url: string;
  fetch: Pick<ServiceFetch, 'stream'>;
  onProgress?: ((received: number, size: number) => void) | undefined;
  signal: AbortSignal;
}

export type Filled =
  | 'filled'
  | 'unreachable'
  /** The server, or the old file, has something else than the plan says. */
  | 'unplanned'
  | 'no-room';

/** The longest pause without a byte, in milliseconds. */
const silenceMs = 30_000;
const copyBytes = 1024 * 1024;

/**
 * Puts a file together, or goes on where an earlier try has stopped; what comes of it has to be compared with what was
 * signed. Throws if it cannot be written.
 */
export async function fillPart(options: FillOptions): Promise<Filled> {
  const { file, size, parts, old, signal } = options;
  await using handle = await open(file, 'a+', 0o600);
  let received = (await handle.stat()).size;
  if (received > size) {
    await handle.truncate(0);
    received = 0;
  }
  const { bavail, bsize } = await statfs(path.dirname(file));
  if (bavail * bsize < size - received) {
    await rm(file, { force: true });
    return 'no-room';
  }
  let offset = 0;
  for (const part of parts) {
    const done = Math.max(0, received - offset);
    offset += part.size;
    if (done >= part.size) continue;
    const rest = { start: part.start + done, size: part.size - done };
    const outcome = part.from === 'old' ? await copy(rest) : await receive(rest, offset === size);
    if (outcome !== 'filled') return outcome;
  }
  return received === size ? 'filled' : 'unreachable';

  async function keep(bytes: Uint8Array): Promise<void> {
    await handle.writeFile(bytes);
    received += bytes.length;
    options.onProgress?.(received, size);
  }

  async function copy(rest: Rest): Promise<Filled> {
    if (old === undefined) return 'unplanned';
    await using source = await open(old);
    const buffer = Buffer.alloc(Math.min(copyBytes, rest.size));
    for (let at = 0; at < rest.size;) {
      signal.throwIfAborted();
      const wanted = Math.min(buffer.length, rest.size - at);
      const { bytesRead } = await source.read(buffer, 0, wanted, rest.start + at);
      if (bytesRead === 0) return 'unplanned';
      at += bytesRead;
      await keep(buffer.subarray(0, bytesRead));
    }
    return 'filled';
  }

  /** `isLast`: nothing of the file comes after it. */
  async function receive(rest: Rest, isLast: boolean): Promise<Filled> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    const end = isLast ? '' : String(rest.start + rest.size - 1);
    const isWhole = rest.start === 0 && isLast;
    try {
      const reply = await options.fetch.stream(options.url, {
        method: 'GET',
        headers: isWhole ? {} : { range: `bytes=${rest.start}-${end}` },
        signal: AbortSignal.any([signal, silence.signal]) as never,
      });
      if (reply.status !== 200 && reply.status !== 206) {
        await (reply.body as unknown as ReadableStream).cancel();
        return 'unreachable';
      }
      let left = rest.size;
      // A server that cannot send a part sends everything.
      if (reply.status === 200 && !isWhole) {
        if (parts.length > 1) {
          await (reply.body as unknown as ReadableStream).cancel();
          return 'unplanned';
        }
        await handle.truncate(0);
        received = 0;
        left = size;
      }
      for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
        timer.refresh();
        left -= piece.length;
        if (left < 0) return 'unplanned';
        await keep(piece);
      }
      return left === 0 ? 'filled' : 'unreachable';
    } catch (error) {
      if (isFull(error)) throw error;
      signal.throwIfAborted();
      return 'unreachable';
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Rest {
  start: number;
  size: number;
}

/** Whether something failed because the disk, or the user's share of it, is full. */
export const isFull = (error: unknown): boolean => hasErrorCode(error, 'ENOSPC', 'EDQUOT');
