import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { removeDeadSocket } from '#node/os/dead-socket.ts';
import { makeDirectory } from '../make-directory.ts';

/**
 * Makes a server answer on a Unix socket in addition to where it already listens. A socket left by a killed process is
 * replaced; one that is in use, or any other file, is an error. Only its group may connect, such as a proxy that runs
 * as another user. Returns a function that closes it.
 */
export async function listenOnUnixSocket(
  http: FastifyInstance,
  socketPath: string,
): Promise<() => Promise<void>> {
  await http.ready();
  await makeDirectory(path.dirname(socketPath));
  await removeDeadSocket(socketPath);
  const server = createServer((request, response) => http.routing(request, response));
  // The same values as on its own server.
  const { timeout, requestTimeout, headersTimeout, keepAliveTimeout } = http.server;
  Object.assign(server, { timeout, requestTimeout, headersTimeout, keepAliveTimeout });
  server.listen(socketPath);
  await once(server, 'listening');
  // Connecting needs write permission (unix(7)), which the usual umask gives only to the owner.
  await chmod(socketPath, 0o660);
  return async () => {
    const closed = once(server, 'close');
    server.close();
    await inTime(server, closed);
  };
}

const graceMs = 3000;

/** Waits until a closing server has answered requests in progress, but cuts off clients that keep it waiting. */
export async function inTime(server: Server, closed: PromiseLike<unknown>): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
