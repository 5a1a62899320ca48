import { connect } from 'node:net';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { helperProtocolVersion } from '#shared/helper/protocol.ts';
import { helperVersion } from '../version.ts';

/** How long the helper may take for all of it, in milliseconds. */
const limitMs = 30_000;

/**
 * Has the helper that runs end whosever connection there is, as that user would, so that apps undo what they have changed
 * for it; for administrators, who remove the helper next. Resolves as well if none runs.
 */
export async function endConnection(socketPath: string): Promise<void> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const { promise: open, resolve: opened } = Promise.withResolvers<boolean>();
  const socket = connect(socketPath, () => opened(true));
  socket.on('error', () => opened(false));
  socket.on('close', () => reject(new Error('the helper does not take the call')));
  const timer = setTimeout(() => socket.destroy(), limitMs);
  failed.catch(() => undefined);
  try {
    if (!(await open)) return;
    const connection = createMessageConnection(
      new SocketMessageReader(socket),
      new SocketMessageWriter(socket),
    );
    connection.onError(() => socket.destroy());
    connection.listen();
    const call = (name: string, params: object) =>
      Promise.race([connection.sendRequest<unknown>(name, params), failed]);
    await call('hello', {
      protocolVersion: helperProtocolVersion,
      client: { name: 'waymaker-removal', version: helperVersion },
    });
    await call('disconnect', {});
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
