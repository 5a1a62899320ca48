import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  SocketMessageReader,
  type DataCallback,
  type Disposable,
  type MessageReader,
} from 'vscode-jsonrpc/node';

/**
 * Reads the frames of `vscode-jsonrpc`, whose own reader accepts a body of any announced length. A peer that has sent
 * more than `maxBytes` without a complete message is disconnected.
 */
export class LimitedReader extends AbstractMessageReader implements MessageReader {
  readonly #socket: Socket;
  readonly #frames: SocketMessageReader;
  readonly #maxBytes: number;
  #unread = 0;

  constructor(socket: Socket, maxBytes: number) {
    super();
    this.#socket = socket;
    this.#frames = new SocketMessageReader(socket);
    this.#maxBytes = maxBytes;
    this.#frames.onError((error) => this.fireError(error));
    this.#frames.onClose(() => this.fireClose());
  }

  listen(callback: DataCallback): Disposable {
    this.#socket.on('data', (bytes: Buffer) => {
      this.#unread += bytes.length;
      if (this.#unread > this.#maxBytes) this.#socket.destroy();
    });
    return this.#frames.listen((message) => {
      this.#unread = 0;
      callback(message);
    });
  }
}
