import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';

/**
 * The first of these ports of 127.0.0.1 at which nobody listens; 0 stands for any. Somebody may take it before it is
 * used: then whoever is to use it fails. Rejects with `SystemChangeFailed` if all are taken.
 */
export async function findFreePort(ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const server = createServer();
    server.listen({ host: '127.0.0.1', port });
    try {
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch {
      // The next one may be free.
    } finally {
      server.close();
    }
  }
  throw new SystemChangeFailed(`no port for the proxy is free, of ${ports.join(', ')}`);
}
