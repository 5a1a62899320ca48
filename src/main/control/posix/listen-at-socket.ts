import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';

/** In the place of whatever is at that path: the caller has the lock, so nobody uses it. */
export async function listenAtSocket(server: Server, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true });
  server.listen(socketPath);
  await once(server, 'listening');
  // Nobody else can enter its folder anyway.
  chmodSync(socketPath, 0o600);
}
