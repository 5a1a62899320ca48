import { once } from 'node:events';
import type { Server } from 'node:net';
import { listenAtSocket } from './posix/listen-at-socket.ts';

/** Resolves when the server listens at that socket, or pipe of Windows, which goes with the process that made it. */
export async function listenAtPlace(
  server: Server,
  socketPath: string,
  platform: NodeJS.Platform,
): Promise<void> {
  if (platform !== 'win32') return await listenAtSocket(server, socketPath);
  server.listen(socketPath);
  await once(server, 'listening');
}
