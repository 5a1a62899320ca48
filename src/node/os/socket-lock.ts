import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeDeadSocket } from './dead-socket.ts';
import { hasErrorCode } from './error-code.ts';
import { pipeNamed } from './windows/pipe-name.ts';

/**
 * The maximum length of a Unix socket's path on all systems (unix(7): 108 bytes on Linux; 104 on macOS), with some
 * margin.
 */
const maxSocketPathBytes = 100;

/**
 * Keeps a second process out of a directory; rejects if there is already one. PGlite does not check this, and two
 * processes would destroy the data. The lock is a listening socket: it ends with its process in any case and, unlike a
 * process id in a file, cannot be mistaken for another process. Returns a function that unlocks.
 */
export async function lockBySocket(directory: string): Promise<() => Promise<void>> {
  const address = lockAddress(directory);
  await removeDeadSocket(address);
  const server = createServer((connection) => connection.destroy());
  server.listen(address);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const used = hasErrorCode(cause, 'EADDRINUSE');
    throw new Error(used ? `${directory} is used by another process` : `${directory} cannot be locked`, {
      cause,
    });
  }
  server.unref();
  return async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
}

function lockAddress(directory: string): string {
  const name = `waymaker-${hash('sha256', directory, 'hex').slice(0, 32)}`;
  if (process.platform === 'win32') return pipeNamed(name);
  const inside = path.join(directory, 'lock');
  return Buffer.byteLength(inside) <= maxSocketPathBytes ? inside : path.join(tmpdir(), `${name}.lock`);
}
