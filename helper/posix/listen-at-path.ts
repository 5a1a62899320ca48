import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import type { Caller, CallListener } from '../system/ports/caller-identity-port.ts';

/**
 * Listens on a Unix socket, in the place of whatever is there. `identify` says who has connected, and throws if the
 * kernel does not; `protect` gives the socket's file its permissions: until then, the umask lets only root write to it.
 */
export async function listenAtPath(
  socketPath: string,
  listener: CallListener,
  { identify, protect }: { identify: (socket: Socket) => Caller; protect: (socketPath: string) => void },
): Promise<{ close(): Promise<void> }> {
  await mkdir(path.dirname(socketPath), { recursive: true, mode: 0o755 });
  await rm(socketPath, { force: true });
  const server = createServer((socket) => {
    let caller: Caller;
    try {
      caller = identify(socket);
    } catch (error) {
      socket.destroy();
      return listener.onProblem('the caller cannot be told', error);
    }
    listener.onCaller(socket, caller);
  });
  server.on('error', (error) => listener.onProblem('the socket failed', error));
  const listening = once(server, 'listening');
  server.listen(socketPath);
  await listening;
  protect(socketPath);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
