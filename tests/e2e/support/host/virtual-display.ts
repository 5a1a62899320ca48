import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface VirtualDisplay {
  /** As the environment variable DISPLAY takes it, e.g. `:1`. */
  name: string;
  close(): Promise<void>;
}

/** An X server without a screen, for windows on a machine that has none; it finds a free display by itself. */
export async function startVirtualDisplay(): Promise<VirtualDisplay> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const ended = once(server, 'exit');
  const [number] = (await Promise.race([
    once(server.stdio[3] as Readable, 'data'),
    ended.then(() => Promise.reject(new Error('Xvfb ended before it had a display'))),
  ])) as [Buffer];
  return {
    name: `:${number.toString().trim()}`,
    async close() {
      server.kill();
      await ended;
    },
  };
}
