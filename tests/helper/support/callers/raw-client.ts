import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A JSON-RPC answer as it came. */
export interface RawAnswer {
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** A client that sends whatever bytes it is told to. */
export interface RawClient {
  readonly socket: Socket;
  /** Sends bytes; a connection that is closed meanwhile is no error. */
  send(bytes: string | Uint8Array): void;
  /** Sends one request in a frame and resolves to its answer, or to undefined if the connection closes before. */
  request(method: string, params?: unknown): Promise<RawAnswer | undefined>;
  /** Resolves when the helper has closed the connection. */
  readonly closed: Promise<void>;
}

export const frame = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const helloParams = { protocolVersion: 1, client: { name: 'raw', version: '0' } };

export async function openRaw(socketPath: string): Promise<RawClient> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const answers = new Map<unknown, (answer: RawAnswer | undefined) => void>();
  let received: Buffer = Buffer.alloc(0);
  let serial = 0;
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const [header, length] =
        /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString('latin1', 0, 64)) ?? [];
      if (header === undefined) return;
      const end = header.length + Number(length);
      if (received.length < end) return;
      const answer = JSON.parse(received.toString('utf8', header.length, end)) as RawAnswer;
      received = received.subarray(end);
      answers.get(answer.id)?.(answer);
      answers.delete(answer.id);
    }
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      for (const answer of answers.values()) answer(undefined);
      resolve();
    });
  });
  const send = (bytes: string | Uint8Array) => {
    if (socket.writable) socket.write(bytes);
  };
  return {
    socket,
    closed,
    send,
    request(method, params) {
      serial += 1;
      const id = `r${serial}`;
      return new Promise((resolve) => {
        if (socket.closed) resolve(undefined);
        answers.set(id, resolve);
        send(frame(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
      });
    },
  };
}
