import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Where ports are sought: below those that systems give to whoever asks for any (Linux from 32768 on,
 * ip_local_port_range in ip(7); macOS and Windows from 49152 on, RFC 6335 §6), which other programs would get
 * meanwhile.
 */
const range = [20_000, 32_000] as const;

/**
 * A TCP port of 127.0.0.1 at which nobody listens, and that nobody gets who asks for any, nor another caller of this,
 * as long as this process runs.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if ((await isOwn(port)) && (await isFree(port))) return port;
  }
}

/**
 * Whoever has its abstract socket has the port (unix(7)): two may find it free before either of them listens. Other
 * systems have no such sockets.
 */
async function isOwn(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const mark = createServer().listen(`\0waymaker-test-port-${port}`).unref();
  return await isListening(mark);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await isListening(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

const isListening = (server: Server) =>
  once(server, 'listening').then(
    () => true,
    () => false,
  );
