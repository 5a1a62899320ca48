import { mkdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import {
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { helperError, helperProtocolVersion } from '../../../../src/shared/helper/protocol.ts';

/** A helper of a later version, as the protocol has it answer: it refuses `hello` and tells what it speaks. */
export async function startIncompatibleHelper(
  socketPath: string,
): Promise<AsyncDisposable & { readonly methods: readonly string[] }> {
  const methods: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    const connection = createMessageConnection(
      new StreamMessageReader(socket),
      new StreamMessageWriter(socket),
    );
    connection.onRequest((method) => {
      methods.push(method);
      if (method !== 'hello') throw new ResponseError(ErrorCodes.MethodNotFound, 'hello first');
      throw new ResponseError(helperError.protocolVersion, 'protocol version not supported', {
        supported: [helperProtocolVersion + 1],
      });
    });
    connection.listen();
  });
  await mkdir(path.dirname(socketPath), { recursive: true });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    methods,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
