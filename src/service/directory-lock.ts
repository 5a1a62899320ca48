import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { sha256 } from './token.ts';
import { removeDeadSocket } from './unix-socket.ts';

/**
 * Keeps a second process out of a directory; rejects if there is one already. PGlite has no such check, and two
 * processes in one data directory destroy it. The lock is a listening socket, which ends with its process however
 * that ends, and cannot be mistaken for another's, as a process id in a file can. Returns a function that unlocks.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const address =
    process.platform === 'win32'
      ? String.raw`\\.\pipe\waymaker-${sha256(directory)}`
      : path.join(directory, 'lock');
  if (process.platform !== 'win32') await removeDeadSocket(address);
  const server = createServer((connection) => connection.destroy());
  server.listen(address);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(`${directory} is used by another process`, { cause });
  }
  server.unref();
  return async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
}
