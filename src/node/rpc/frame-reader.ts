import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  Disposable,
  type DataCallback,
  type MessageReader,
} from 'vscode-jsonrpc/node';
import { z } from 'zod/mini';
import { waitToTheEnd } from '../wait-to-the-end.ts';

/** A peer that violates the protocol; its connection is closed. */
class FrameRefused extends Error {
  override name = 'FrameRefused';
}

/** The maximum length of a header in bytes: `Content-Length` and `Content-Type`, each once, and nothing else. */
const maxHeaderBytes = 256;

const endOfHeader = Buffer.from('\r\n\r\n');

/** JSON-RPC 2.0 §4: requests and notifications. The helper sends its clients no requests, so there are no responses. */
const message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.union([z.number().check(z.int()), z.string().check(z.maxLength(64))])),
  method: z.string().check(z.maxLength(64)),
  params: z.optional(z.unknown()),
});

export interface FrameLimits {
  maxBodyBytes: number;
  /** The maximum time from a frame's first byte to its last, in milliseconds. */
  frameTimeoutMs: number;
  /** How many requests may be read before earlier ones have been answered; more end the connection. */
  maxUnanswered: number;
  /** The same in bytes, including requests that were answered since the last time when nothing was pending. */
  maxUnansweredBytes: number;
}

/**
 * Reads the frames of `vscode-jsonrpc`, whose own reader accepts a body of any announced length, and headers without
 * end. This one refuses both, and everything that is not a request or notification.
 */
export class BoundedFrameReader extends AbstractMessageReader implements MessageReader {
  readonly #socket: Socket;
  readonly #limits: FrameLimits;
  #chunks: Buffer[] = [];
  #size = 0;
  /** The size of the current frame's header and body, once its header has arrived. */
  #frame: { header: number; body: number } | undefined;
  /** Ends the wait for the rest of a frame. */
  #endWait: (() => void) | undefined;
  #refused = false;
  #unanswered = 0;
  #unansweredBytes = 0;
  #stop: (() => void) | undefined;

  constructor(socket: Socket, limits: FrameLimits) {
    super();
    this.#socket = socket;
    this.#limits = limits;
    socket.on('close', () => {
      this.#endWait?.();
      this.fireClose();
    });
  }

  /** Whether every request that was read has been answered. */
  get isIdle(): boolean {
    return this.#unanswered === 0;
  }

  /** Call this when an answer has been written. */
  answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#unansweredBytes = 0;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (bytes: Buffer) => {
      if (this.#refused) return;
      try {
        this.#read(bytes, callback);
      } catch (error) {
        this.#refuse(error);
      }
    };
    this.#socket.on('data', onData);
    this.#stop = () => this.#socket.off('data', onData);
    return Disposable.create(this.#stop);
  }

  /** Bytes from now on are for somebody else. */
  release(): void {
    this.#endWait?.();
    this.#stop?.();
  }

  override dispose(): void {
    this.#endWait?.();
    super.dispose();
  }

  #read(bytes: Buffer, callback: DataCallback): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    if (!this.#endWait) this.#waitForRest();
    for (;;) {
      this.#frame ??= this.#readHeader();
      if (!this.#frame || this.#size < this.#frame.header + this.#frame.body) break;
      const { header, body } = this.#frame;
      const all = this.#gather();
      this.#chunks = [all.subarray(header + body)];
      this.#size -= header + body;
      this.#frame = undefined;
      this.#waitForRest();
      const parsed = parseMessage(all.subarray(header, header + body));
      if (parsed.id !== undefined) {
        this.#unanswered += 1;
        this.#unansweredBytes += body;
      }
      const { maxUnanswered, maxUnansweredBytes } = this.#limits;
      if (this.#unanswered > maxUnanswered || this.#unansweredBytes > maxUnansweredBytes) {
        throw new FrameRefused('too many requests at once');
      }
      callback(parsed);
    }
    if (this.#size === 0) {
      this.#endWait?.();
      this.#endWait = undefined;
    }
  }

  /** From now on. */
  #waitForRest(): void {
    this.#endWait?.();
    this.#endWait = waitToTheEnd(this.#limits.frameTimeoutMs, () =>
      this.#refuse(new FrameRefused('a frame takes too long')),
    );
  }

  #readHeader(): { header: number; body: number } | undefined {
    const bytes = this.#gather();
    const end = bytes.subarray(0, maxHeaderBytes).indexOf(endOfHeader);
    if (end === -1) {
      if (bytes.length >= maxHeaderBytes) throw new FrameRefused('the header does not end');
      return undefined;
    }
    const body = contentLength(bytes.subarray(0, end).toString('latin1'));
    if (body > this.#limits.maxBodyBytes) throw new FrameRefused(`a frame of ${body} bytes`);
    return { header: end + endOfHeader.length, body };
  }

  #gather(): Buffer {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #refuse(error: unknown): void {
    this.#refused = true;
    this.#chunks = [];
    this.#size = 0;
    this.#endWait?.();
    this.fireError(error);
  }
}

function contentLength(header: string): number {
  let length: number | undefined;
  for (const line of header.split('\r\n')) {
    const [, name, value] = /^(Content-Length|Content-Type): *(.*)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new FrameRefused('not a header');
    if (name.toLowerCase() === 'content-type') continue;
    if (length !== undefined || !/^\d{1,10}$/.test(value)) throw new FrameRefused('not a length');
    length = Number(value);
  }
  if (length === undefined) throw new FrameRefused('no length');
  return length;
}

function parseMessage(body: Buffer): z.infer<typeof message> {
  try {
    return message.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch (error) {
    throw new FrameRefused('not a request', { cause: error });
  }
}
