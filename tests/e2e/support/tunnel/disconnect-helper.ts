import { once } from 'node:events';
import { connect } from 'node:net';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { helperProtocolVersion } from '../../../../src/shared/helper/protocol.ts';

/** An explicit disconnect, as of an app: only that opens traffic again once the kill switch was on. */
export async function disconnectHelper(socketPath: string): Promise<void> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const connection = createMessageConnection(
    new StreamMessageReader(socket),
    new StreamMessageWriter(socket),
  );
  connection.listen();
  try {
    const client = { name: 'end-to-end tests', version: '0' };
    await connection.sendRequest('hello', { protocolVersion: helperProtocolVersion, client });
    await connection.sendRequest('disconnect', {});
  } finally {
    connection.dispose();
    socket.destroy();
  }
}
