import { once } from 'node:events';
import { createServer } from 'node:net';
import type { CoreLock } from '../core-lock.ts';

/** Only one process can listen on a pipe; undefined if another one does. */
export async function lockByPipe(pipe: string): Promise<CoreLock | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(pipe);
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  server.unref();
  return { isInPlace: () => server.listening, release: () => void server.close() };
}
