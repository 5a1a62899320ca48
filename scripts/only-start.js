// One `npm start` of a clone at a time: two would overwrite each other's packages, builds and data. Plain JavaScript,
// see run.js.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Whether this process is the only one that has started this clone, until it ends. The lock is a listening socket: it
 * ends with its process in any case, and on Linux it is not a file that root could leave behind (unix(7), "abstract").
 */
export async function isOnlyStart(root) {
  const name = `waymaker-start-${createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return await listens(`\0${name}`);
  if (process.platform === 'win32') return await listens(String.raw`\\.\pipe\${name}`);
  const file = path.join(tmpdir(), name);
  if (!(await answers(file))) rmSync(file, { force: true });
  return await listens(file);
}

async function listens(address) {
  const server = createServer((connection) => connection.destroy());
  server.listen(address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.unref();
  return true;
}

async function answers(file) {
  const socket = connect(file);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
