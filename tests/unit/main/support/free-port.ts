import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Where ports are sought: below those that systems give to whoever asks for any (Linux from 32768 on,
 * ip_local_port_range in ip(7); macOS and Windows from 49152 on, RFC 6335 §6), which other programs would get
 * meanwhile.
 */
const range = [20_000, 32_000] as const;

/** A TCP port of 127.0.0.1 at which nobody listens, and that nobody gets who asks for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
