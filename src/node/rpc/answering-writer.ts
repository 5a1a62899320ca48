import type { Socket } from 'node:net';
import { Message, SocketMessageWriter } from 'vscode-jsonrpc/node';
import type { BoundedFrameReader } from './frame-reader.ts';

/** Tells the reader of each answer. */
export class AnsweringWriter extends SocketMessageWriter {
  readonly #reader: BoundedFrameReader;

  constructor(socket: Socket, reader: BoundedFrameReader) {
    super(socket);
    this.#reader = reader;
  }

  override async write(message: Message): Promise<void> {
    await super.write(message);
    if (Message.isResponse(message)) this.#reader.answered();
  }
}
